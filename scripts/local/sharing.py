"""One running server for several processes: the first starts it, and it is stopped when the last has left."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from scripts.local.processes import is_alive

Facts = dict[str, str]
Start = Callable[[], AbstractContextManager[Facts]]
POLL_SECONDS = 0.05


@contextmanager
def shared(folder: Path, name: str, start: Start) -> Iterator[Facts]:
    """What `start` yields, in every process that asks; the process that started it stops it, after all others left."""
    record = folder / f"{name}.json"
    with (folder / f"{name}.users").open("w") as users, _gate(folder, name) as gate:
        facts = _running(record)
        if facts is not None:
            fcntl.flock(users, fcntl.LOCK_SH)
            fcntl.flock(gate, fcntl.LOCK_UN)
            yield facts
            return
        with start() as started:
            record.write_text(json.dumps({"pid": os.getpid(), "facts": started}))
            fcntl.flock(gate, fcntl.LOCK_UN)
            yield started
            _wait_for_the_others(gate, users.fileno())
            record.unlink()


@contextmanager
def _gate(folder: Path, name: str) -> Iterator[int]:
    with (folder / f"{name}.gate").open("w") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        yield gate.fileno()


def _running(record: Path) -> Facts | None:
    if not record.exists():
        return None
    content = json.loads(record.read_text())
    facts: Facts = content["facts"]
    return facts if is_alive(content["pid"]) else None


def _wait_for_the_others(gate: int, users: int) -> None:
    """Returns holding the gate, so that nobody joins between the last one's leaving and the end of the record."""
    while True:
        fcntl.flock(gate, fcntl.LOCK_EX)
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a user holds it shared, also released when it crashes
        except BlockingIOError:
            fcntl.flock(gate, fcntl.LOCK_UN)
            time.sleep(POLL_SECONDS)
        else:
            return
