"""One connection to PostgreSQL: statements prepared once, rows by name, a time limit on each exchange."""

from __future__ import annotations

from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pg8000.core import CoreConnection
from pg8000.exceptions import DatabaseError, InterfaceError
from pg8000.native import PreparedStatement

from shared.adapters.postgres.errors import translated

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

Row = dict[str, Any]  # a column may hold any type that PostgreSQL has
# pg8000 has no public way to change the time limit of a connection that is open.
_socket_of: Callable[[CoreConnection], socket.socket] = attrgetter("_usock")


class Session:
    """A connection, whichever way it was made, for one thread."""

    def __init__(self, connection: CoreConnection) -> None:
        self._connection = connection
        self._statements: dict[str, PreparedStatement] = {}

    def limit(self, seconds: float) -> None:
        """How long each of the next exchanges may wait for the server."""
        _socket_of(self._connection).settimeout(seconds)

    def script(self, sql: str) -> None:
        """One or several statements without parameters, in a single exchange."""
        with translated():
            self._connection.execute_simple(sql)

    def run(self, sql: str, **parameters: object) -> list[Row]:
        # Unprepared, the driver needs three exchanges for a statement with parameters; prepared two, from then on one.
        with translated():
            statement = self._statements.get(sql) or self._prepare(sql)
            rows = statement.run(**parameters)
        names = [column["name"] for column in statement.cols or ()]
        return [dict(zip(names, row, strict=True)) for row in rows or ()]

    def _prepare(self, sql: str) -> PreparedStatement:
        statement = PreparedStatement(self._connection, sql)
        self._statements[sql] = statement
        return statement

    def close(self) -> None:
        with suppress(InterfaceError, DatabaseError, OSError):
            self._connection.close()

    def __del__(self) -> None:
        # A thread that ends drops its connection; the server should hear of it.
        self.close()
