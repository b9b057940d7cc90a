"""Each function as functions-framework loads it, on real parts."""
