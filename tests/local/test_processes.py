"""Children end with their parent, say why they failed, and stop when told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from scripts.local import processes
from scripts.local.errors import CannotStartError
from scripts.local.processes import Program, Tie

SLEEPER = [sys.executable, "-S", "-c", "import time; print('awake', flush=True); time.sleep(60)"]
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('awake', flush=True); time.sleep(60)"
)
PARENT = """
import sys, time
from pathlib import Path
from scripts.local import processes
program = processes.Program(name="sleeper", command=sys.argv[3:], log=Path(sys.argv[1]))
child = processes.start(program, tie=sys.argv[2])
print(child.pid, flush=True)
time.sleep(60)
"""


def program(folder: Path, command: list[str], name: str = "sleeper") -> Program:
    return Program(name=name, command=command, log=folder / "child.log")


def is_awake(child: processes.Child) -> bool:
    return "awake" in child.last_lines()


def descendants(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def eventually_gone(found: list[psutil.Process], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while any(processes.is_alive(process.pid) for process in found) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(processes.is_alive(process.pid) for process in found)


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[processes.Child]:
    child = processes.start(program(tmp_path, SLEEPER))
    processes.wait_until(child, lambda: is_awake(child), 10)
    yield child
    child.kill()


@pytest.mark.parametrize("tie", ["signal", "pipe"])
def test_a_child_is_gone_after_kill_9_of_its_parent(tmp_path: Path, tie: Tie) -> None:
    log = tmp_path / "child.log"
    command = [sys.executable, "-c", PARENT, str(log), tie, *SLEEPER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path.cwd()) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        while not (log.exists() and "awake" in log.read_text()):
            time.sleep(0.02)
        family = [psutil.Process(child), *descendants(child)]

        parent.kill()

        assert eventually_gone(family)


def test_a_child_is_stopped_by_its_signal(sleeper: processes.Child) -> None:
    sleeper.stop()

    assert sleeper.process.returncode == -signal.SIGTERM


def test_a_child_that_ignores_the_signal_is_killed(tmp_path: Path) -> None:
    child = processes.start(program(tmp_path, [sys.executable, "-c", STUBBORN]))
    processes.wait_until(child, lambda: is_awake(child), 10)

    child.stop(seconds=0.1)

    assert child.process.returncode == -signal.SIGKILL


def test_a_child_behind_a_pipe_is_stopped_with_its_watcher(tmp_path: Path) -> None:
    child = processes.start(program(tmp_path, SLEEPER), tie="pipe")
    processes.wait_until(child, lambda: is_awake(child), 10)
    family = descendants(child.pid)

    child.stop()

    assert family
    assert eventually_gone(family)


def test_a_child_does_not_get_the_terminals_ctrl_c(sleeper: processes.Child) -> None:
    assert os.getpgid(sleeper.pid) != os.getpgid(0)


def test_a_child_that_ends_at_once_is_reported_with_the_end_of_its_log(tmp_path: Path) -> None:
    child = processes.start(program(tmp_path, [sys.executable, "-c", "raise SystemExit('no such luck')"], "Luck"))

    with pytest.raises(CannotStartError, match=r"(?s)Luck ended at once.*no such luck"):
        processes.wait_until(child, lambda: False, 10)


def test_a_child_that_is_never_ready_is_reported_with_its_log(sleeper: processes.Child) -> None:
    with pytest.raises(CannotStartError, match=r"(?s)sleeper was not ready.*awake"):
        processes.wait_until(sleeper, lambda: False, 0.1)


def test_a_child_is_not_started_from_a_thread_whose_end_would_end_it(tmp_path: Path) -> None:
    refused: list[str] = []

    def start() -> None:
        try:
            processes.start(program(tmp_path, SLEEPER))
        except RuntimeError as error:
            refused.append(str(error))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()

    assert refused == ["sleeper must be started from the main thread"]
