"""Where the bytes are: originals, archived versions, thumbnails, and the scratch folder of uploads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol


class FileStore(Protocol):
    """Bytes by key; a key is a relative path."""

    def put(self, key: str, content: bytes) -> None: ...

    def link(self, key: str, new_key: str) -> None: ...

    def get(self, key: str) -> bytes | None: ...

    def delete(self, key: str) -> None: ...

    def keys(self, folder: str = "") -> Iterator[str]: ...


class MemoryFiles:
    """Files that go with the process."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    def put(self, key: str, content: bytes) -> None:
        self._contents[key] = content

    def link(self, key: str, new_key: str) -> None:
        self._contents[new_key] = self._contents[key]

    def get(self, key: str) -> bytes | None:
        return self._contents.get(key)

    def delete(self, key: str) -> None:
        self._contents.pop(key, None)

    def keys(self, folder: str = "") -> Iterator[str]:
        return iter(sorted(key for key in self._contents if key.startswith(folder)))


class DiskFiles:
    """Files in a folder, so that an erasure can be checked by looking."""

    FOLDERS = ("originals", "archive", "thumbnails", "scratch")

    def __init__(self, root: Path) -> None:
        self._root = root
        # An upload is often read back at once by a worker that takes no time.
        self._latest: tuple[str, bytes] = ("", b"")
        for folder in self.FOLDERS:
            (root / folder).mkdir(parents=True, exist_ok=True)

    def put(self, key: str, content: bytes) -> None:
        self._path(key).write_bytes(content)
        if key.startswith("scratch/"):
            self._latest = (key, content)

    def link(self, key: str, new_key: str) -> None:
        """The same bytes under a second name, without writing them again."""
        try:
            os.link(self._path(key), self._path(new_key))
        except FileExistsError:
            self._path(new_key).unlink()
            os.link(self._path(key), self._path(new_key))

    def get(self, key: str) -> bytes | None:
        if key == self._latest[0]:
            return self._latest[1]
        try:
            return self._path(key).read_bytes()
        except FileNotFoundError:
            return None

    def delete(self, key: str) -> None:
        if key == self._latest[0]:
            self._latest = ("", b"")
        self._path(key).unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._root / key

    def keys(self, folder: str = "") -> Iterator[str]:
        for each in [folder] if folder else self.FOLDERS:
            for path in sorted((self._root / each).iterdir()):
                yield path.relative_to(self._root).as_posix()
