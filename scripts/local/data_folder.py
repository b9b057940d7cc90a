"""The one folder that holds all data of a local stack, used by one stack at a time."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

from scripts.local.errors import CannotStartError
from scripts.local.processes import is_alive

SECONDS_FOR_ORPHANS = 10.0
POLL_SECONDS = 0.05


@contextmanager
def owned(folder: Path) -> Iterator[int]:
    """The lock on that folder, for the children to keep open too: it is free when the last of them is gone."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = FileIO(folder / "lock", "a+")
    except OSError as error:
        raise CannotStartError(
            f"The data folder {folder} cannot be used: {error.strerror}. Choose another with --data."
        ) from error
    with file:
        _acquire(file, folder)
        file.truncate(0)
        file.write(str(os.getpid()).encode())
        yield file.fileno()


def _acquire(file: FileIO, folder: Path) -> None:
    deadline = time.monotonic() + SECONDS_FOR_ORPHANS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _complain_unless_orphaned(file, folder, deadline)
            time.sleep(POLL_SECONDS)
        else:
            return


def _complain_unless_orphaned(file: FileIO, folder: Path, deadline: float) -> None:
    file.seek(0)
    owner = file.read().decode()
    if (owner and is_alive(int(owner))) or time.monotonic() > deadline:
        raise CannotStartError(
            f"The data folder {folder} is in use by process {owner or '(unknown)'}. "
            "Stop that one, or choose another with --data."
        )
