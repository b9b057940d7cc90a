"""Keeps the rows on disk so that they survive the end of the process, however it comes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from tests.stand_ins.paperless.options import BadOption
from tests.stand_ins.paperless.records import Json


class Journal(Protocol):
    """Where changes are written to; nothing counts before the commit."""

    def load(self) -> Iterator[tuple[str, int, dict[str, Json]]]: ...

    def save(self, kind: str, number: int, row: dict[str, Json]) -> None: ...

    def drop(self, kind: str, number: int) -> None: ...

    def commit(self) -> None: ...

    def close(self) -> None: ...


class NoJournal:
    """Forgets everything."""

    def load(self) -> Iterator[tuple[str, int, dict[str, Json]]]:
        return iter(())

    def save(self, kind: str, number: int, row: dict[str, Json]) -> None: ...

    def drop(self, kind: str, number: int) -> None: ...

    def commit(self) -> None: ...

    def close(self) -> None: ...


class SqliteJournal:
    """One table of JSON rows. Without fsync a commit still outlives a killed process, which is all we promise."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=0)
        self._dirty = False
        try:
            self._prepare()
        except sqlite3.DatabaseError as exc:
            self._connection.close()
            raise BadOption(f"{path} is not a journal of this program ({exc}): name another --data folder") from exc

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=OFF")
        self._connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS rows (kind TEXT, number INTEGER, body TEXT, PRIMARY KEY (kind, number))"
        )

    def load(self) -> Iterator[tuple[str, int, dict[str, Json]]]:
        for kind, number, body in self._connection.execute("SELECT kind, number, body FROM rows ORDER BY kind, number"):
            yield kind, number, json.loads(body)

    def save(self, kind: str, number: int, row: dict[str, Json]) -> None:
        self._begin()
        self._connection.execute("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", (kind, number, json.dumps(row)))

    def drop(self, kind: str, number: int) -> None:
        self._begin()
        self._connection.execute("DELETE FROM rows WHERE kind = ? AND number = ?", (kind, number))

    def _begin(self) -> None:
        if not self._dirty:
            self._connection.execute("BEGIN")
            self._dirty = True

    def commit(self) -> None:
        if self._dirty:
            self._connection.execute("COMMIT")
            self._dirty = False

    def close(self) -> None:
        self.commit()
        self._connection.close()
