"""Tests of the one-machine stack and of the commands that start it."""
