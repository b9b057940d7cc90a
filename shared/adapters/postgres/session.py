"""One connection to PostgreSQL: statements prepared once, rows by name, a time limit on each exchange."""

from __future__ import annotations

import select
from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pg8000.converters import make_params
from pg8000.core import CoreConnection
from pg8000.exceptions import DatabaseError, InterfaceError
from pg8000.native import PreparedStatement

from shared.adapters.postgres.errors import translated

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

Row = dict[str, Any]  # a column may hold any type that PostgreSQL has
Step = tuple[str, Row]  # a statement and its parameters
# pg8000 has no public way to change the time limit of a connection that is open.
_socket_of: Callable[[CoreConnection], socket.socket] = attrgetter("_usock")


class Session:
    """A connection, whichever way it was made, for one thread."""

    def __init__(self, connection: CoreConnection) -> None:
        self._connection = connection
        self._statements: dict[str, PreparedStatement] = {}
        self._allowed = 0

    def limit(self, seconds: float) -> None:
        """How long each of the next exchanges may wait for the server."""
        _socket_of(self._connection).settimeout(seconds)

    def allow(self, seconds: int) -> None:
        """How long the server may work on each statement outside a transaction; told only when it changes."""
        if seconds != self._allowed:
            self.script(f"SET statement_timeout = {seconds * 1000}")
            self._allowed = seconds

    def script(self, sql: str) -> None:
        """One or several statements without parameters, in a single exchange."""
        with translated():
            self._connection.execute_simple(sql)

    def run(self, sql: str, **parameters: object) -> list[Row]:
        return self.run_together((sql, parameters))

    def run_together(self, *steps: Step) -> list[Row]:
        """Statements in one exchange, at most one of which returns rows; outside a transaction they are one."""
        with translated():
            statements = [(self._prepared(sql), parameters) for sql, parameters in steps]
            shape = next((statement for statement, _ in statements if statement.cols), statements[-1][0])
            rows = self._exchange(statements, shape)
        names = [column["name"] for column in shape.cols or ()]
        return [dict(zip(names, row, strict=True)) for row in rows or ()]

    def _exchange(self, statements: list[tuple[PreparedStatement, Row]], shape: PreparedStatement) -> list[list[Any]]:
        bound = [(one, make_params(one.con.py_types, one.make_vals(parameters))) for one, parameters in statements]
        *before, (last, values) = bound
        for statement, earlier in before:
            self._connection.send_BIND(statement.name_bin, earlier)
            self._connection.send_EXECUTE()
        # This one sends the mark that ends the exchange, then reads every answer; rows are read in the given shape.
        context = self._connection.execute_named(last.name_bin, values, shape.cols, shape.input_funcs, last.statement)
        rows: list[list[Any]] = context.rows
        return rows

    def _prepared(self, sql: str) -> PreparedStatement:
        # Unprepared, the driver needs three exchanges for a statement with parameters; prepared two, from then on one.
        if sql not in self._statements:
            self._statements[sql] = PreparedStatement(self._connection, sql)
        return self._statements[sql]

    def is_quiet(self) -> bool:
        """Nothing waits to be read: an idle server only ever says that it is leaving."""
        poll = select.poll()
        poll.register(_socket_of(self._connection), select.POLLIN)
        return not poll.poll(0)

    def close(self) -> None:
        with suppress(InterfaceError, DatabaseError, OSError):
            self._connection.close()

    def __del__(self) -> None:
        # A thread that ends drops its connection; the server should hear of it.
        self.close()
