"""Child processes: tied to this one, logged to a file, waited for until ready, stopped within a deadline."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import psutil

from scripts.local.errors import CannotStartError

Tie = Literal["signal", "pipe"]
DEFAULT_TIE: Tie = "signal" if sys.platform == "linux" else "pipe"
TETHER = Path(__file__).with_name("tether.py")
POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A command and how it wants to be run and ended."""

    name: str
    command: Sequence[str]
    log: Path
    prefix: Sequence[str] = ()
    env: Mapping[str, str] | None = None
    cwd: Path | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    orphan_signal: signal.Signals = signal.SIGKILL
    keep_open: Sequence[int] = ()


@dataclass(slots=True)
class Child:
    """A running program."""

    program: Program
    process: subprocess.Popen[bytes]
    started: float = field(default_factory=time.monotonic)

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def pid(self) -> int:
        return self.process.pid

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def stop(self, seconds: float = 10.0) -> None:
        if not self.has_ended():
            self.process.send_signal(self.program.stop_signal)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
        self._close_pipe()

    def kill(self) -> None:
        # A watcher killed outright would leave its command behind; closing its pipe makes it end both.
        if self.process.stdin is None:
            self.process.kill()
        self._close_pipe()
        self.process.wait()

    def _close_pipe(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()

    def last_lines(self, count: int = 8) -> str:
        return "\n".join(self.program.log.read_text(errors="replace").splitlines()[-count:])


def start(program: Program, *, tie: Tie = DEFAULT_TIE) -> Child:
    # The kernel's parent-death signal follows the thread that forked, not the process.
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError(f"{program.name} must be started from the main thread")
    program.log.parent.mkdir(parents=True, exist_ok=True)
    tether = [sys.executable, "-I", "-S", str(TETHER), tie, str(os.getpid()), str(int(program.orphan_signal))]
    with program.log.open("ab") as log:
        process = subprocess.Popen(
            [*program.prefix, *tether, *program.command],
            stdin=subprocess.PIPE if tie == "pipe" else subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=None if program.env is None else dict(program.env),
            cwd=program.cwd,
            pass_fds=tuple(program.keep_open),
            start_new_session=True,  # Ctrl-C reaches us alone, and we stop the parts in order
        )
    return Child(program, process)


def wait_until(child: Child, is_ready: Callable[[], bool], seconds: float) -> float:
    """Seconds from its start until it was ready; the end of its log if it never is."""
    deadline = child.started + seconds
    while not is_ready():
        if child.has_ended():
            raise CannotStartError(f"{child.name} ended at once. Its last lines:\n{child.last_lines()}")
        if time.monotonic() > deadline:
            raise CannotStartError(
                f"{child.name} was not ready after {seconds:.0f} s; its log is {child.program.log}. "
                f"Its last lines:\n{child.last_lines()}"
            )
        time.sleep(POLL_SECONDS)
    return time.monotonic() - child.started


def is_alive(pid: int) -> bool:
    """Whether that process runs; one that has ended and that nobody has asked about does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
