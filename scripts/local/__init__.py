"""The one-machine stack: real servers from PyPI, started and stopped by us."""
