"""The data folder of a PostgreSQL cluster: made once, looked at before each start."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import psutil

from scripts.local.databases import USER
from scripts.local.errors import CannotStartError, what_to_do
from scripts.local.postgres_programs import Identity, programs
from scripts.local.processes import POLL_SECONDS
from scripts.local.secret_files import kept_secret

INITDB = (
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--no-sync",
    "--no-instructions",
)
SECONDS_FOR_ORPHANS = 10.0


def create(folder: Path, who: Identity) -> str:
    """The password of the cluster in that folder, which is made if there is none."""
    data = folder / "data"
    if data.exists():
        check(folder, who)
        return kept_secret(folder / "password")
    password = kept_secret(folder / "password")
    draft = folder / "data.new"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700)
    os.chown(draft, who.owner, -1)
    command = [*who.prefix, str(programs() / "initdb"), "-D", str(draft), "-U", USER, *INITDB]
    result = subprocess.run(
        [*command, f"--pwfile={folder / 'password'}"], capture_output=True, text=True, check=False, timeout=120
    )
    if result.returncode != 0:
        shutil.rmtree(draft, ignore_errors=True)
        lines = "\n".join(result.stderr.splitlines()[-4:])
        raise CannotStartError(f"PostgreSQL could not make its data folder {data}:\n{lines}\n{what_to_do(folder)}")
    draft.rename(data)  # last, so that what a crash leaves is never taken for a cluster
    return password


def check(folder: Path, who: Identity) -> None:
    data = folder / "data"
    version = data / "PG_VERSION"
    if not version.is_file() or not (folder / "password").is_file():
        raise CannotStartError(f"PostgreSQL's data is incomplete. {what_to_do(folder)}")
    if data.stat().st_uid != who.owner:
        for path in (data, *data.rglob("*")):
            os.chown(path, who.owner, -1, follow_symlinks=False)


def wait_for_orphans(data: Path) -> None:
    """After a `kill -9` the old server may still be leaving, and its lock file may name a process that is not it."""
    lock = data / "postmaster.pid"
    deadline = time.monotonic() + SECONDS_FOR_ORPHANS
    while lock.exists() and (orphans := servers_of(data)):
        if time.monotonic() > deadline:
            raise CannotStartError(
                f"Another PostgreSQL (process {orphans[0]}) uses {data}. Stop it, or choose another folder with --data."
            )
        time.sleep(POLL_SECONDS)
    lock.unlink(missing_ok=True)


def servers_of(data: Path) -> list[int]:
    """Processes of PostgreSQL, the server or a backend left behind, whose working folder is that data folder."""
    return [process.pid for process in psutil.process_iter() if _works_in(process, data)]


def _works_in(process: psutil.Process, data: Path) -> bool:
    try:
        return process.name().startswith("postgres") and Path(process.cwd()) == data.resolve()
    except (psutil.Error, OSError):
        return False
