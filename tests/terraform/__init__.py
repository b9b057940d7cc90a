"""What terraform/ would make, read from plans."""
