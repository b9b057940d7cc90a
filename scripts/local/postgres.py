"""A PostgreSQL cluster of our own in one folder: TCP on the loopback address, a password, no system user."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.local import ports, processes
from scripts.local.databases import PostgresAccess
from scripts.local.errors import CannotStartError, what_to_do
from scripts.local.postgres_files import create, wait_for_orphans
from scripts.local.postgres_programs import Identity, identity, programs

# Survives the end of the server, not the end of the machine.
NOT_DURABLE = ("-c", "fsync=off", "-c", "full_page_writes=off")


@dataclass(slots=True)
class Postgres:
    """A started cluster."""

    child: processes.Child
    access: PostgresAccess
    folder: Path

    def wait_ready(self, seconds: float = 20.0) -> float:
        try:
            return processes.wait_until(self.child, self.access.answers, seconds)
        except CannotStartError as error:
            self.stop()
            raise CannotStartError(f"{error}\n{what_to_do(self.folder)}") from error

    def stop(self) -> None:
        self.child.stop()


def launch(
    folder: Path,
    *,
    log: Path | None = None,
    durable: bool = True,
    who: Identity | None = None,
    keep_open: Sequence[int] = (),
) -> Postgres:
    """Start the cluster in that folder, made first if there is none; `wait_ready` says when it answers."""
    data, who = folder / "data", who or identity()
    password = create(folder, who)
    wait_for_orphans(data)
    port = ports.free_port()
    program = processes.Program(
        name="PostgreSQL",
        prefix=who.prefix,
        command=[
            str(programs() / "postgres"),
            *("-D", str(data), "-h", ports.HOST, "-p", str(port), "-k", ""),
            *(() if durable else NOT_DURABLE),
        ],
        log=log or folder / "postgres.log",
        stop_signal=signal.SIGINT,  # "fast": clients are sent away, everything is written
        orphan_signal=signal.SIGQUIT,  # "immediate": gone at once, recovered from the log at the next start
        keep_open=keep_open,
    )
    return Postgres(processes.start(program), PostgresAccess(port, password), folder)
