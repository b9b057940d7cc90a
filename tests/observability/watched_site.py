"""A site under its schedules, whose log lines are kept as Cloud Logging would keep them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from shared.observability import alerts, context, lines
from shared.ports import Clock
from shared.services import dead_letter_watch
from tests.observability.monitoring import Incident, Logged, incidents
from tests.prove.incidents import listening
from tests.prove.site import Letter, Site

DRAIN, WATCH = "archiver-drain", "dlq-alert"
FIVE_MINUTES = timedelta(minutes=5)
LIFTED = ("severity", "timestamp", lines.TRACE, lines.SPAN, lines.LABELS)


class LogBucket(logging.Handler):
    """Takes the formatted lines; what Cloud Logging lifts out of a line stands beside its payload here too."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.setFormatter(lines.JsonLines())
        self.logged: list[Logged] = []
        self._clock = clock

    def emit(self, record: logging.LogRecord) -> None:
        line = json.loads(self.format(record))
        labels = line.get(lines.LABELS, {})
        payload = {name: value for name, value in line.items() if name not in LIFTED}
        entry = {"severity": line["severity"], "labels": labels, "jsonPayload": payload}
        self.logged.append(Logged(self._clock.now(), labels.get("function", ""), entry))


@dataclass(slots=True)
class WatchedSite:
    """Time passes in steps of five minutes, at each of which the scheduled functions run."""

    bucket: LogBucket
    site: Site
    scheduled: tuple[str, ...] = (DRAIN, WATCH)
    start: datetime = field(init=False)

    def __post_init__(self) -> None:
        self.start = self.site.clock.now()

    def send(self, *letters: Letter) -> None:
        for letter in letters:
            self.serve("archive-write", partial(self.site.send, letter))

    def run(self, hours: float, each: Callable[[int], object] = lambda _: None) -> None:
        """The schedules fire every five minutes; `each` happens before, with the number of the run."""
        for number in range(round(hours * 12)):
            each(number)
            for function in self.scheduled:
                self.serve(function, self.site.drain if function == DRAIN else self.watch)
            self.wait()

    def wait(self) -> None:
        """Until the schedules fire again, however long the run took."""
        passed = (self.site.clock.now() - self.start) % FIVE_MINUTES
        self.site.wait((FIVE_MINUTES - passed).total_seconds() / 60)

    def serve(self, function: str, work: Callable[[], object]) -> None:
        """As the router does: in a context of its own that says which function it is."""

        def served() -> None:
            context.enter(context.RequestContext.from_headers(function, {}))
            work()

        copy_context().run(served)

    def incidents(self) -> dict[str, list[Incident]]:
        return incidents(alerts.known(), self.bucket.logged, until=self.site.clock.now())

    def watch(self) -> None:
        dead_letter_watch.watch(self.site.letter_parts())


@contextmanager
def watched(site: Site | None = None) -> Iterator[WatchedSite]:
    chosen = site or Site()
    bucket = LogBucket(chosen.clock)
    with listening(bucket):
        yield WatchedSite(bucket, chosen)
