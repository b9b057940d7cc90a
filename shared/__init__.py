"""The one internal package that every function ships with."""
