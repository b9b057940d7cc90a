"""The packages that are deployed."""
