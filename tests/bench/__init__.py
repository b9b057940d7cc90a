"""The benches: our figure and its floor, measured in turns on the real parts."""
