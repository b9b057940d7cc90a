"""How long creating a tag takes: every sibling is rewritten, so the more tags there are, the longer."""

from __future__ import annotations

import math

# Measured on a real server: (tags there are, seconds for one more).
MEASURED = ((500, 0.15), (2_000, 1.3), (5_000, 6.0))

# Every create leaves a gap between looking for the name and taking it; this is where races happen.
GAP_SECONDS = 0.002


def seconds_for_one_more(tags: int) -> float:
    """On the straight lines, in logarithms, through what was measured and beyond on both sides."""
    if tags == 0:
        return 0.0
    (low, cheap), (high, dear) = MEASURED[:2] if tags < MEASURED[1][0] else MEASURED[1:]
    slope = math.log(dear / cheap) / math.log(high / low)
    return float(cheap * (tags / low) ** slope)
