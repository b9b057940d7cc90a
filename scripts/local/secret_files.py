"""Secrets of the local stack: made once, kept in files only their owner can read."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path


def new_secret() -> str:
    return secrets.token_urlsafe(24)


def kept_secret(path: Path, make: Callable[[], str] = new_secret) -> str:
    """The secret in that file; a new one is made and written if there is none."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(make())
        draft.replace(path)
    return path.read_text().strip()
