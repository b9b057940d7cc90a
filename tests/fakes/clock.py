"""A clock that moves only when told to, or when somebody sleeps by it."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


class VirtualClock:
    """Time by hand."""

    def __init__(self, now: datetime = NEW_YEAR) -> None:
        self._now = now
        self._lock = threading.Lock()

    def now(self) -> datetime:
        with self._lock:
            return self._now

    def sleep(self, seconds: float) -> None:
        self.advance(timedelta(seconds=max(0.0, seconds)))

    def advance(self, by: timedelta) -> None:
        with self._lock:
            self._now += by
