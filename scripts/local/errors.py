"""The one error of the local stack: something cannot start, said in a sentence with what to do about it."""

from __future__ import annotations

import shutil
from pathlib import Path

A_FULL_DISK = 64 * 2**20  # bytes left; a new cluster alone takes 40 MiB


class CannotStartError(Exception):
    """What is wrong and what to do, in words for the person at the terminal."""


def what_to_do(folder: Path) -> str:
    """Advice for a server that does not start on its data folder."""
    left = shutil.disk_usage(folder).free
    if left < A_FULL_DISK:
        return f"The disk that holds {folder} is full ({left / 2**20:.0f} MiB left). Make room and start again."
    return (
        f"The data folder {folder} may be damaged. To begin with an empty one, move that folder away and start again."
    )
