"""Each adapter against the real thing, or the nearest to it that runs here."""
