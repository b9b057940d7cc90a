"""The tests, and the stand-ins and helpers they share."""
