"""Zip files that are byte for byte the same wherever and whenever they are made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile, ZipInfo

EARLIEST = (1980, 1, 1, 0, 0, 0)
UNIX = 3
READABLE_FILE = 0o100644 << 16


def write(target: Path, contents: Mapping[str, bytes]) -> None:
    """Replaces the file at once, so that a build that was stopped leaves no half of one."""
    unfinished = target.with_suffix(".unfinished")
    # Not deflated: what zlib makes of the same bytes differs between its versions, and with it the hash.
    with ZipFile(unfinished, "w", ZIP_STORED) as archive:
        for name in sorted(contents):
            archive.writestr(_entry(name), contents[name])
    unfinished.replace(target)


def _entry(name: str) -> ZipInfo:
    entry = ZipInfo(name, EARLIEST)
    entry.create_system = UNIX
    entry.external_attr = READABLE_FILE
    return entry
