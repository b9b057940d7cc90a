"""What every step of one drain run shares: its parts, its limits, its identity, and how leases are taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from shared.domain.drain import DrainOptions
from shared.domain.errors import PreconditionFailed
from shared.domain.paperless import Task
from shared.domain.sidecar import Lease, Sidecar
from shared.ports import Archive, AuditApi, Clock, ObjectStore, Workers
from shared.services.labels import LabelBook
from shared.services.sidecars import Held, Sidecars

MARGIN = 60.0
SHORT_CALL = 30.0


@dataclass(frozen=True, slots=True)
class DrainParts:
    """The real things, or their fakes."""

    queue: ObjectStore
    dead_letters: ObjectStore
    archive: Archive
    audit: AuditApi
    clock: Clock
    workers: Workers
    nonce: Callable[[], str]


class LeaseTooShort(Exception):
    """The lease would not outlast the call that was about to start."""


@dataclass(slots=True)
class DrainRun:
    """One run. Jobs only read it, but for the few marks that make them quicker or wiser."""

    parts: DrainParts
    options: DrainOptions
    book: LabelBook
    checksum_algorithm: str
    owner: str
    deadline: datetime
    latest_final: datetime | None = None
    _tasks: dict[str, Task] | None = field(default=None)

    @property
    def sidecars(self) -> Sidecars:
        return Sidecars(self.parts.queue, self.parts.clock)

    def now(self) -> datetime:
        return self.parts.clock.now()

    def change(self, held: Held, move: Callable[[Sidecar], Sidecar]) -> Held:
        """Until the freeze a document may be added at any moment; under our lease the move is then made on top."""
        while True:
            changed = move(held.sidecar)
            try:
                return self.sidecars.replace(held, changed)
            except PreconditionFailed:
                found = self.sidecars.read(changed.key)
                lease = found.sidecar.lease if found else None
                if found is None or lease is None or lease not in (held.sidecar.lease, changed.lease):
                    raise
                if lease != held.sidecar.lease:
                    return found
                held = found

    def lease(self, seconds: float) -> Lease:
        return Lease(owner=self.owner, nonce=self.parts.nonce(), until=self.now() + timedelta(seconds=seconds))

    def lease_to_submit(self) -> Lease:
        return self.lease(self.options.upload_timeout + SHORT_CALL + 2 * MARGIN)

    def lease_to_follow(self) -> Lease:
        """While this run lives, so that the next one takes over at once what was still under way."""
        return self.lease(max((self.deadline - self.now()).total_seconds(), 0.0))

    def lease_to_finish(self) -> Lease:
        return self.lease(4 * SHORT_CALL + 2 * MARGIN)

    def insist(self, sidecar: Sidecar, timeout: float) -> None:
        """No upload and no delete starts unless the lease outlasts it by a minute."""
        until = self.now() + timedelta(seconds=timeout + MARGIN)
        if sidecar.lease is None or sidecar.lease.owner != self.owner or sidecar.lease.until < until:
            raise LeaseTooShort

    def task_named(self, file_name: str) -> Task | None:
        """By the list of open tasks, which is long and has no filter: asked for once in a run."""
        if self._tasks is None:
            self._tasks = {task.file_name: task for task in self.parts.archive.open_tasks()}
        return self._tasks.get(file_name)
