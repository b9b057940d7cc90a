"""The one error of packaging: why a function cannot be packed, and what to do."""

from __future__ import annotations


class CannotPackError(Exception):
    """What is wrong, in words for the person at the terminal."""
