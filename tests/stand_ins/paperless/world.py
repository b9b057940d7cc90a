"""What every part of the stand-in works with: the options, the time, the tables, the files, the workers."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

from tests.stand_ins.paperless.archive import Archive
from tests.stand_ins.paperless.clocks import Clock, stamp
from tests.stand_ins.paperless.faults import FaultBoard
from tests.stand_ins.paperless.files import FileStore
from tests.stand_ins.paperless.options import Options, User
from tests.stand_ins.paperless.workers import Crew


@dataclass(slots=True)
class World:
    """One server's state. `pause` lets time pass with the lock released, so that others get in between."""

    options: Options
    clock: Clock
    archive: Archive
    files: FileStore
    crew: Crew
    faults: FaultBoard
    users: tuple[User, ...]
    random: random.Random
    pause: Callable[[float], None]
    token_calls: list[float] = field(default_factory=list)
    deletions: int = 0
    cleans_up: bool = False

    @property
    def is_v3(self) -> bool:
        return self.options.server_version.startswith("3.")

    def now(self) -> str:
        return stamp(self.clock.now())

    def user(self, number: int) -> User | None:
        return next((user for user in self.users if user.id == number), None)

    def new_uuid(self) -> str:
        return str(UUID(int=self.random.getrandbits(128), version=4))
