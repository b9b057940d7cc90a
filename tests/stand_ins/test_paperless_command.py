"""The command: what it says when it starts, stops, or cannot."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stand_ins.programs import ACCOUNTS, PROGRAM, ROOT, running


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_it_is_asked_to_stop(name: signal.Signals) -> None:
    with running() as program:
        with program.client("alice") as alice:
            status = alice.get("/api/tags/").status_code
        program.process.send_signal(name)
        code = program.process.wait(timeout=10)

    assert (status, code) == (200, 0)


def test_a_taken_port_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        end = run("--port", str(port), *ACCOUNTS)

    assert end.returncode == 2
    assert (
        end.stderr == f"paperless: cannot listen on 127.0.0.1:{port}: Address already in use; choose another --port\n"
    )


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "name at least one --user"),
        (("--user", "alice"), "a user is NAME:TOKEN:ROLE, not 'alice'"),
        (("--user", "alice:t:king"), "one of superuser, member, none, not 'king'"),
        (("--user", "a:t:none", "--user", "b:t:none"), "a name and a token of its own"),
        ((*ACCOUNTS, "--task-workers", "0"), "--task-workers is 1 or more"),
        ((*ACCOUNTS, "--consume-seconds", "-1"), "--consume-seconds is 0 or more"),
        ((*ACCOUNTS, "--port", "70000"), "--port is between 0 and 65535"),
        ((*ACCOUNTS, "--server-version", "1.0"), "invalid choice: '1.0'"),
    ],
)
def test_a_bad_option_is_named(arguments: tuple[str, ...], complaint: str) -> None:
    end = run(*arguments)

    assert end.returncode == 2
    assert complaint in end.stderr


def test_a_data_folder_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")

    end = run("--port", "0", "--data", str(file), *ACCOUNTS)

    assert end.returncode == 2
    assert end.stderr.startswith(f"paperless: cannot use {file}: ")
    assert end.stderr.count("\n") == 1


def test_a_damaged_data_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "journal.sqlite3").write_text("anything but a database, and long enough to be looked at" * 20)

    end = run("--port", "0", "--data", str(tmp_path), *ACCOUNTS)

    assert end.returncode == 2
    assert "is not a journal of this program" in end.stderr
    assert end.stderr.count("\n") == 1


def test_a_data_folder_in_use_is_one_sentence(tmp_path: Path) -> None:
    with running("--data", str(tmp_path)):
        end = run("--port", "0", "--data", str(tmp_path), *ACCOUNTS)

    assert end.returncode == 2
    assert end.stderr.count("\n") == 1


def test_the_script_is_the_same_command() -> None:
    end = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "paperless"), "--user", "alice"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert end.returncode == 2
    assert "a user is NAME:TOKEN:ROLE" in end.stderr
