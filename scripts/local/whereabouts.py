"""Where the stack of a data folder runs right now, for other commands on the same machine."""

from __future__ import annotations

import argparse
import json
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.local.addresses import Stack
from scripts.local.console_output import fail
from scripts.local.functions import ROOT

DEFAULT = ROOT / ".local"
FILE = "running.json"


@contextmanager
def announced(stack: Stack) -> Iterator[None]:
    """The file is there while the stack runs; it holds the key, so only its owner can read it."""
    path = stack.data / FILE
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(_said(stack), file)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def find(data: Path) -> dict[str, str] | None:
    """What a command needs to know of the stack in that folder, if one runs."""
    try:
        said: dict[str, str] = json.loads((data / FILE).read_text())
    except (OSError, ValueError):
        return None
    return said


def _said(stack: Stack) -> dict[str, str]:
    return {
        "URL": stack.url,
        "KEY": stack.internal_api_key,
        "PAPERLESS": stack.paperless.url,
        "DATABASE_URL": stack.postgres.dsn(),
    }


def main() -> int:
    """The command scripts/where: the running stack as shell variables, for `eval "$(scripts/where)"`."""
    parser = argparse.ArgumentParser(prog="scripts/where", description="Prints where the stack of scripts/run is.")
    parser.add_argument("--data", type=Path, default=DEFAULT, metavar="DIR", help="the folder of that stack")
    found = find(parser.parse_args().data)
    if found is None:
        fail("No stack is running here. Start one with scripts/run.")
        return 2
    for name, value in found.items():
        print(f"{name}={shlex.quote(value)}")
    return 0
