"""The task workers: who works on what, from when to when. No thread; time is told, never taken."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, order=True)
class Shift:
    """One worker on one task."""

    end: datetime
    order: int
    start: datetime
    task: int
    worker: int


class Crew:
    """Takes tasks in the order they came; `begin` says whether a task is carried through, `finish` ends it."""

    def __init__(self, size: int, seconds: float, since: datetime) -> None:
        self._length = timedelta(seconds=seconds)
        self._queue: deque[tuple[int, datetime]] = deque()
        self._free = [(since, worker) for worker in range(size)]
        self._running: list[Shift] = []
        self._order = 0
        self._busy = 0.0
        self.size = size
        self.since = since
        self.paused = False
        self.begin: Callable[[int, datetime], bool] = lambda _task, _at: True
        self.finish: Callable[[int, datetime], None] = lambda _task, _at: None

    @property
    def running(self) -> list[int]:
        return [shift.task for shift in self._running]

    @property
    def waiting(self) -> int:
        return len(self._queue)

    def post(self, task: int, at: datetime) -> None:
        self._queue.append((task, at))

    def take_up(self, task: int, started: datetime) -> None:
        """Go on with a task that was begun before the program was last stopped."""
        if self._free:
            self._run(task, started, heapq.heappop(self._free)[1])
        else:
            self._queue.appendleft((task, started))

    def advance(self, now: datetime) -> None:
        """Everything that was due by now happens, in the order of time; at one moment, ends before beginnings."""
        while True:
            end = self._running[0].end if self._running else None
            start = self._next_start()
            if end is not None and end <= now and (start is None or end <= start):
                self._end(heapq.heappop(self._running))
            elif start is not None and start <= now:
                self._start(start)
            else:
                return

    def _next_start(self) -> datetime | None:
        if self.paused or not self._queue or not self._free:
            return None
        return max(self._queue[0][1], self._free[0][0])

    def _start(self, at: datetime) -> None:
        task, _ = self._queue.popleft()
        _, worker = heapq.heappop(self._free)
        if self.begin(task, at):
            self._run(task, at, worker)
        else:
            heapq.heappush(self._free, (at, worker))

    def _run(self, task: int, at: datetime, worker: int) -> None:
        self._order += 1
        heapq.heappush(self._running, Shift(at + self._length, self._order, at, task, worker))

    def _end(self, shift: Shift) -> None:
        self._busy += max(0.0, (shift.end - max(shift.start, self.since)).total_seconds())
        heapq.heappush(self._free, (shift.end, shift.worker))
        self.finish(shift.task, shift.end)

    def kill(self, now: datetime) -> list[int]:
        """The whole worker dies and is started again: what it worked on is never touched again."""
        lost = [shift.task for shift in self._running]
        for shift in self._running:
            heapq.heappush(self._free, (now, shift.worker))
        self._running.clear()
        return lost

    def lose_queue(self) -> list[int]:
        lost = [task for task, _ in self._queue]
        self._queue.clear()
        return lost

    def resume(self, now: datetime) -> None:
        self.paused = False
        self._free = [(max(since, now), worker) for since, worker in self._free]
        heapq.heapify(self._free)

    def busy_seconds(self, now: datetime) -> float:
        current = (max(0.0, (min(now, s.end) - max(s.start, self.since)).total_seconds()) for s in self._running)
        return self._busy + sum(current)

    def reset(self, now: datetime) -> None:
        self.since, self._busy = now, 0.0
