"""Where the stack of a data folder runs right now, for other commands on the same machine."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.local.addresses import Stack
from scripts.local.functions import ROOT

DEFAULT = ROOT / ".local"
FILE = "running.json"


@contextmanager
def announced(stack: Stack) -> Iterator[None]:
    """The file is there while the stack runs; it holds the key, so only its owner can read it."""
    path = stack.data / FILE
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump({"url": stack.url, "internalApiKey": stack.internal_api_key, "pid": os.getpid()}, file)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def find(data: Path) -> tuple[str, str] | None:
    """The address and the key of the stack in that folder, if one runs."""
    try:
        said = json.loads((data / FILE).read_text())
        return said["url"], said["internalApiKey"]
    except (OSError, ValueError, KeyError):
        return None
