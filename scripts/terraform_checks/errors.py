"""The one error of these checks: why they cannot run, and what to do."""

from __future__ import annotations


class CannotCheckError(Exception):
    """What is missing, in words for the person at the terminal."""
