"""The floors: what the libraries alone take for the same work; nothing of ours is imported here."""
