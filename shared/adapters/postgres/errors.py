"""Turns what the driver raises into the errors the rest of the house knows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pg8000.exceptions import DatabaseError, InterfaceError

from shared.domain.errors import ArchivoltError, Conflict, Unavailable

UNIQUE_VIOLATION = "23505"
# Connection lost or refused, credentials refused, no such database, deadlock or serialisation, out of resources,
# lock or statement timeout, shutting down: none of it is about what was asked, all of it may pass.
PASSING = ("08", "25P03", "28", "3D", "40", "53", "55P03", "57")
LOST = ("network error", "connection is closed")


class UniqueViolation(Conflict):
    """Another row has that value already."""

    def __init__(self, constraint: str) -> None:
        super().__init__(f"another row has that value already ({constraint})")
        self.constraint = constraint


class Rejected(ArchivoltError):
    """The database refused a statement."""


class ConnectionLost(Unavailable):
    """The connection to the database broke; what was under way on it is not known."""


@contextmanager
def translated() -> Iterator[None]:
    """Around one exchange with the server."""
    try:
        yield
    except OSError as exc:
        raise ConnectionLost from exc
    except InterfaceError as exc:
        if str(exc) not in LOST:
            raise
        raise ConnectionLost from exc
    except DatabaseError as exc:
        raise _meaning(exc) from exc


def _meaning(exc: DatabaseError) -> ArchivoltError:
    """The fields are PostgreSQL's: V severity, C SQLSTATE, M message, n constraint."""
    fields = exc.args[0]
    code, message = fields.get("C", ""), fields.get("M", "")
    if fields.get("V") in ("FATAL", "PANIC"):
        return ConnectionLost(f"the database ended the connection: {message} ({code})")
    if code == UNIQUE_VIOLATION:
        return UniqueViolation(fields.get("n", ""))
    if code.startswith(PASSING):
        return Unavailable(f"the database did not do it: {message} ({code})")
    return Rejected(f"the database refused a statement: {message} ({code})")
