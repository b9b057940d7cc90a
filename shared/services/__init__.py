"""Use cases: one file each, functions over ports that return values."""
