"""Each use case on its own, with fakes behind its ports."""
