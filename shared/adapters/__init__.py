"""One file per technology, each behind a port."""
