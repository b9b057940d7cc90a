"""Tries to break the four promises, and says what it tried: `scripts/prove NAME`."""
