"""Checks everything in terraform/ without a cloud: layout, types, tests, plans, lint and policy."""
