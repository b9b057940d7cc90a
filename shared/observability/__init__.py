"""Log lines and metrics, as JSON on standard output."""
