"""Log lines as an operator meets them: the same trouble again and again is one incident."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from shared.ports import Clock

QUIET_ENDS_IT = timedelta(minutes=30)
BREAKER = "archive_breaker_open_total"


class Incidents(logging.Handler):
    """Counts incidents of one metric: lines less than half an hour apart belong together."""

    def __init__(self, clock: Clock, metric: str = BREAKER) -> None:
        super().__init__()
        self._clock = clock
        self._metric = metric
        self._last: datetime | None = None
        self.count = 0
        self.lines = 0

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(record, "fields", {}).get("metric") != self._metric:
            return
        now = self._clock.now()
        self.count += self._last is None or now - self._last > QUIET_ENDS_IT
        self.lines += 1
        self._last = now


@contextmanager
def watching(clock: Clock) -> Iterator[Incidents]:
    """Listen to every log line while the block runs, and print none."""
    handler = Incidents(clock)
    with listening(handler):
        yield handler


@contextmanager
def listening(handler: logging.Handler) -> Iterator[None]:
    """Every log line goes to this handler alone while the block runs."""
    root = logging.getLogger()
    before, disabled = list(root.handlers), root.manager.disable
    root.handlers, level = [handler], root.level
    root.setLevel(logging.INFO)
    logging.disable(logging.NOTSET)
    try:
        yield
    finally:
        root.handlers = before
        root.setLevel(level)
        logging.disable(disabled)
