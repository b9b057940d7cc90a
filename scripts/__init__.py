"""The commands of the project, and what they drive."""
