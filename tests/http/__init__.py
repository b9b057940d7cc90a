"""The HTTP base: routing, reading, authentication, errors."""
