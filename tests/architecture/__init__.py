"""What is true of the whole house, read from its files."""
