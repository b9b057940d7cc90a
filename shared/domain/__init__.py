"""Rules and values: no I/O, no clock, no randomness."""
