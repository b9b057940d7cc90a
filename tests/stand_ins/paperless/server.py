"""The stand-in itself: one request in, one answer out, and time caught up with before each."""

from __future__ import annotations

import random
from datetime import datetime
from functools import partial
from threading import Lock

from tests.stand_ins.paperless import admin, consumption, front, outages, upgrade
from tests.stand_ins.paperless.archive import Archive
from tests.stand_ins.paperless.clocks import Clock, moment
from tests.stand_ins.paperless.faults import Fault, FaultBoard
from tests.stand_ins.paperless.files import DiskFiles, FileStore, MemoryFiles
from tests.stand_ins.paperless.journal import NoJournal, SqliteJournal
from tests.stand_ins.paperless.messages import Request, Response
from tests.stand_ins.paperless.options import Options, User
from tests.stand_ins.paperless.records import Json
from tests.stand_ins.paperless.tally import Tally
from tests.stand_ins.paperless.workers import Crew
from tests.stand_ins.paperless.world import World


class Paperless:
    """A Paperless-ngx server in one object.

    State changes under one lock, which `pause` releases while time passes; the clock says when.
    """

    def __init__(self, options: Options, clock: Clock) -> None:
        self.options = options
        self.clock = clock
        self._lock = Lock()
        self._tally = Tally()
        archive = Archive(_journal(options))
        self.world = World(
            options=options,
            clock=clock,
            archive=archive,
            files=_files(options),
            crew=Crew(options.task_workers, options.consume_seconds, clock.now()),
            faults=FaultBoard(),
            users=tuple(User(archive.user_id(account.name), account) for account in options.users),
            random=random.Random(options.seed),
            pause=self._pause,
        )
        upgrade.settle(self.world)
        self._take_up_tasks()
        archive.commit()

    def _take_up_tasks(self) -> None:
        crew = self.world.crew
        crew.begin = lambda number, at: consumption.begin(self.world, number, at)
        crew.finish = lambda number, at: consumption.finish(self.world, number, at)
        for key in list(self.files.keys("scratch")):
            uploaded = self.world.archive.task(key.removeprefix("scratch/"))
            if uploaded is None or uploaded.status == "SUCCESS":
                # The program was killed a moment before it would have kept or removed this itself.
                self.files.delete(key)
        for task in self.world.archive.tasks.values():
            if task.status == "STARTED" and task.started and not task.abandoned:
                crew.take_up(task.id, moment(task.started))
            elif task.status == "PENDING" and not task.abandoned:
                crew.post(task.id, moment(task.created))

    @property
    def files(self) -> FileStore:
        return self.world.files

    def handle(self, request: Request) -> Response:
        with self._lock:
            self._catch_up(self.clock.now())
            try:
                return self._answer(request)
            finally:
                self.world.archive.commit()

    def advance(self) -> None:
        """Let everything happen that is due."""
        with self._lock:
            self._catch_up(self.clock.now())
            self.world.archive.commit()

    def close(self) -> None:
        with self._lock:
            self.world.archive.close()

    def add_fault(self, fault: Fault) -> Fault:
        with self._lock:
            self._catch_up(self.clock.now())
            added = outages.arrange(self.world, fault)
            self.world.archive.commit()
            return added

    def faults(self) -> list[Fault]:
        with self._lock:
            return self.world.faults.in_force

    def clear_faults(self) -> int:
        with self._lock:
            self._catch_up(self.clock.now())
            cleared = self.world.faults.clear()
            self._watch_workers(self.clock.now())
            return cleared

    def is_unreachable(self) -> bool:
        """Whether nothing should listen at all: a refusal that covers everything and ends by itself."""
        with self._lock:
            return any(
                fault.kind == "refused" and fault.until and not (fault.path or fault.method or fault.file_name)
                for fault in self.world.faults.in_force
            )

    def state(self) -> dict[str, Json]:
        with self._lock:
            self._catch_up(self.clock.now())
            return admin.state(self.world, self._tally)

    def reset_counters(self) -> None:
        with self._lock:
            self._catch_up(self.clock.now())
            self._tally.reset()
            self.world.crew.reset(self.clock.now())

    def _pause(self, seconds: float) -> None:
        self.world.archive.commit()
        self._lock.release()
        try:
            self.clock.sleep(seconds)
        finally:
            self._lock.acquire()

    def _catch_up(self, now: datetime) -> None:
        """Faults that end by themselves end in their place among the tasks."""
        faults, crew = self.world.faults, self.world.crew
        while (expiry := faults.next_expiry(now)) is not None:
            self._watch_workers(expiry)
            crew.advance(expiry)
            faults.expire(expiry)
        self._watch_workers(now)
        crew.advance(now)

    def _watch_workers(self, now: datetime) -> None:
        crew, faults = self.world.crew, self.world.faults
        down = faults.has("worker_down") or faults.has("redis_down")
        if crew.paused and not down:
            crew.resume(now)
        crew.paused = down

    def _answer(self, request: Request) -> Response:
        if request.path.startswith(admin.PREFIX):
            return admin.answer(self.world, self._tally, request, self._watch_workers)
        self._tally.count(request)
        fault = outages.pick(self.world.faults, request)
        if fault is None:
            return front.serve(self.world, request)
        return outages.answer(self.world, fault, request, partial(front.serve, self.world))


def _journal(options: Options) -> NoJournal | SqliteJournal:
    if options.data is None:
        return NoJournal()
    options.data.mkdir(parents=True, exist_ok=True)
    return SqliteJournal(options.data / "journal.sqlite3")


def _files(options: Options) -> FileStore:
    return MemoryFiles() if options.data is None else DiskFiles(options.data)
