"""The stand-in as a process of its own, to be stopped, killed and started again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.stand_ins.bench import USERS, headers

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = [sys.executable, "-m", "tests.stand_ins.paperless"]
ACCOUNTS = [word for user in USERS for word in ("--user", f"{user.name}:{user.token}:{user.role}")]


@dataclass(frozen=True, slots=True)
class Program:
    """A running stand-in and where it is."""

    process: subprocess.Popen[str]
    url: str

    def client(self, name: str) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers=headers(name), timeout=30.0)


@contextmanager
def running(*options: str) -> Iterator[Program]:
    """Started on a free port; what is left of it at the end is killed."""
    command = [*PROGRAM, "--port", "0", *ACCOUNTS, *options]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        ready = process.stdout.readline()
        assert " ready on " in ready, ready
        yield Program(process, ready.split()[-1])
    finally:
        process.kill()
        process.communicate(timeout=10)
