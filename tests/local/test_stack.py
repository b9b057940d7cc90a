"""The whole stack: used by one at a time, gone with its parent, and back with the same data."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from scripts.local import ports
from scripts.local.data_folder import owned
from scripts.local.databases import PostgresAccess
from scripts.local.errors import CannotStartError
from scripts.local.processes import is_alive
from scripts.local.seaweedfs import S3Access
from scripts.local.stack import Options, running

RUN = [sys.executable, "-c", "import sys; from scripts.local.run import main; main(sys.argv[1:])", "--json"]
ELSEWHERE = {"PAPERLESS_URL": "http://127.0.0.1:9", "PAPERLESS_API_TOKEN": "elsewhere"}


@contextmanager
def run(data: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """The command as a process of its own, and what it says of where everything is."""
    command = [*RUN, "--data", str(data), "--port", str(ports.free_port()), *options]
    log = (data.parent / "run.log").open("w")
    with log, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, (data.parent / "run.log").read_text()
            yield process, json.loads(line)
        finally:
            process.terminate()


def gone(family: list[psutil.Process], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while any(is_alive(member.pid) for member in family) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(is_alive(member.pid) for member in family)


def store(said: dict[str, Any]) -> S3Access:
    env = said["environment"]
    return S3Access(env["AWS_S3_ENDPOINT"], env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"])


def database(said: dict[str, Any]) -> PostgresAccess:
    address, _, port = said["environment"]["DATABASE_URL"].removesuffix("/archivolt").rpartition(":")
    return PostgresAccess(int(port), address.removeprefix("postgresql://archivolt:").partition("@")[0])


def test_after_kill_9_no_child_is_left_and_the_next_start_has_the_same_data(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with run(data) as (process, said):
        store(said).client().create_bucket(Bucket="words")
        store(said).client().put_object(Bucket="words", Key="kept", Body=b"kept")
        with database(said).connection("archivolt") as connection:
            connection.run("CREATE TABLE kept AS SELECT 'kept' AS word")
        family = psutil.Process(process.pid).children(recursive=True)
        assert {"postgres", "weed"} <= {member.name() for member in family}

        process.kill()
        process.wait()

        assert gone(family, seconds=10)

    with run(data) as (process, said):
        assert store(said).client().get_object(Bucket="words", Key="kept")["Body"].read() == b"kept"
        with database(said).connection("archivolt") as connection:
            assert connection.run("SELECT word FROM kept") == [["kept"]]
        family = psutil.Process(process.pid).children(recursive=True)

        process.terminate()

        assert process.wait(30) == 130
        assert gone(family, seconds=0)


def test_once_archives_the_samples_and_leaves_the_folder_to_the_next(tmp_path: Path) -> None:
    with run(tmp_path / "data", "--once") as (process, said):
        assert process.wait(30) == 0

    assert said["archived"] == said["sent"] > 0
    with owned(tmp_path / "data"):
        pass


def test_a_folder_in_use_is_said_at_once(tmp_path: Path) -> None:
    with owned(tmp_path), pytest.raises(CannotStartError, match=rf"in use by process {os.getpid()}\..*--data"):
        start(tmp_path)


def test_a_folder_whose_owner_died_is_waited_for_until_its_last_child_is_gone(tmp_path: Path) -> None:
    holder = (
        "import fcntl, sys, time; f = open(sys.argv[1], 'a+'); fcntl.flock(f, fcntl.LOCK_EX); print(); time.sleep(0.5)"
    )
    with subprocess.Popen(
        [sys.executable, "-u", "-c", holder, str(tmp_path / "lock")], stdout=subprocess.PIPE
    ) as orphan:
        assert orphan.stdout is not None
        orphan.stdout.readline()

        with owned(tmp_path):
            assert orphan.poll() is not None or orphan.wait(1) == 0


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(CannotStartError, match=r"cannot be used: Not a directory\. Choose another with --data"):
        start(tmp_path / "file" / "data")


def test_a_taken_port_is_said_before_anything_starts(tmp_path: Path) -> None:
    with (
        socket.create_server((ports.HOST, 0)) as taken,
        pytest.raises(CannotStartError, match=f"Port {taken.getsockname()[1]} on 127.0.0.1 is taken"),
    ):
        start(tmp_path / "data", port=taken.getsockname()[1])

    assert not (tmp_path / "data" / "postgres").exists()


def test_a_part_that_fails_takes_the_started_ones_with_it(tmp_path: Path) -> None:
    (tmp_path / "postgres" / "data").mkdir(parents=True)
    before = psutil.Process().children()

    with pytest.raises(CannotStartError, match="PostgreSQL's data is incomplete"):
        start(tmp_path)

    assert psutil.Process().children() == before


def test_a_paperless_elsewhere_needs_its_token(tmp_path: Path) -> None:
    with pytest.raises(CannotStartError, match="PAPERLESS_API_TOKEN is not"):
        start(tmp_path, env={"PAPERLESS_URL": "http://127.0.0.1:9"})


def start(data: Path, port: int | None = None, env: dict[str, str] | None = None) -> None:
    with running(Options(data=data, port=port), ELSEWHERE if env is None else env):
        pass
