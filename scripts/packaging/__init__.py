"""Makes the packages that are deployed: one zip per function."""
