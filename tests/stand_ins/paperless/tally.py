"""Counts requests by method and kind of path."""

from __future__ import annotations

import re
from collections import Counter

from tests.stand_ins.paperless.messages import Request

_NUMBER = re.compile(r"/\d+(?=/|$)")


class Tally:
    """How often each kind of request came."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def count(self, request: Request) -> None:
        self._counts[f"{request.method} {_NUMBER.sub('/{id}', request.path)}"] += 1

    def shown(self) -> dict[str, int]:
        return dict(sorted(self._counts.items()))

    def reset(self) -> None:
        self._counts.clear()
