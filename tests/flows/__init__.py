"""The whole archive path, one question of an operator or developer at a time."""
