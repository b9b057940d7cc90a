"""Many processes in one thread and on one virtual clock, in an order that a seed decides and repeats."""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import greenlet

from tests.prove.effects import Killed

Result = TypeVar("Result")
START = datetime(2026, 3, 1, tzinfo=UTC)


@dataclass(slots=True)
class Hub:
    """Runs whoever is due next; time passes only while everybody waits."""

    random: random.Random
    now: datetime = START
    _due: list[tuple[datetime, int, greenlet.greenlet]] = field(default_factory=list)
    _order: int = 0

    def spawn(self, work: Callable[[], object], after: float = 0.0) -> greenlet.greenlet:
        def body() -> None:
            try:
                work()
            except Killed:
                return

        actor = greenlet.greenlet(body, greenlet.getcurrent())
        self._schedule(actor, after)
        return actor

    def pause(self, seconds: float) -> None:
        """Let the others run for that long."""
        self._schedule(greenlet.getcurrent(), seconds)
        self._home().switch()

    def run(self) -> None:
        """Until nobody waits for anything any more."""
        while self._due:
            self.now, _, actor = heapq.heappop(self._due)
            if not actor.dead:
                actor.parent = greenlet.getcurrent()
                actor.switch()

    def _schedule(self, actor: greenlet.greenlet, seconds: float) -> None:
        self._order += 1
        heapq.heappush(self._due, (self.now + timedelta(seconds=max(0.0, seconds)), self._order, actor))

    def _home(self) -> greenlet.greenlet:
        parent = greenlet.getcurrent().parent
        if parent is None:
            raise RuntimeError("only an actor can wait")
        return parent


@dataclass(frozen=True, slots=True)
class HubClock:
    """A process's own clock: it may be wrong by a few seconds."""

    hub: Hub
    skew: timedelta = timedelta()

    def now(self) -> datetime:
        return self.hub.now + self.skew

    def sleep(self, seconds: float) -> None:
        if seconds > 0:
            self.hub.pause(seconds)


@dataclass(slots=True)
class Process:
    """One process that can be killed: from then on every step of it, in whichever thread, is its last."""

    hub: Hub
    name: str
    dead: bool = False
    spared: bool = False
    """Nothing further happens to one that slept past its lease: if it died as well, only reconcile could tell."""

    def step(self, seconds: float) -> None:
        self.hub.pause(seconds)
        if self.dead:
            raise Killed


@dataclass(frozen=True, slots=True)
class HubWorkers:
    """The Workers port with actors for threads."""

    process: Process

    def run(self, jobs: Iterator[Callable[[], Result]], width: int) -> Iterator[Result]:
        done: deque[Result] = deque()
        running = 0
        exhausted = False
        while True:
            while running < width and not exhausted:
                job = next(jobs, None)
                if job is None:
                    exhausted = True
                else:
                    running += 1
                    self.process.hub.spawn(lambda job=job: done.append(job()))  # type: ignore[misc]
            if running == 0:
                return
            while not done:
                self.process.step(0.01)
            running -= 1
            yield done.popleft()
