"""Transactions, on one connection per thread that is made again when it broke."""

from __future__ import annotations

import math
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol, Self

from shared.adapters.postgres.connection import PostgresSettings, connector, connector_to
from shared.adapters.postgres.deadline import Deadline
from shared.adapters.postgres.errors import ConnectionLost
from shared.domain.errors import Ambiguous, ArchivoltError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shared.adapters.postgres.session import Row, Session, Step

# The server should be the first to give up: its answer says why, and keeps the connection.
GRACE_SECONDS = 0.1
# What a connection that was left alone may take to show that it is alive, before a new one is made.
SHARE_FOR_OLD_CONNECTION = 0.5
IDLE_SECONDS = 30.0


class Run(Protocol):
    """Runs one statement of a transaction."""

    def __call__(self, sql: str, /, **parameters: object) -> list[Row]: ...


class _Slot(threading.local):
    session: Session | None = None
    busy: bool = False
    used_at: float = 0.0


class Database:
    """Raises Unavailable, Ambiguous (the answer to a commit was lost), or UniqueViolation."""

    def __init__(self, connect: Callable[[float], Session]) -> None:
        self._connect = connect
        self._slot = _Slot()

    @classmethod
    def from_settings(cls, settings: PostgresSettings) -> Self:
        return cls(connector(settings))

    @classmethod
    def at(cls, dsn: str) -> Self:
        return cls(connector_to(dsn))

    @contextmanager
    def transaction(self, deadline: Deadline) -> Iterator[Run]:
        """Committed at the end of the block, rolled back if it raises; connecting counts against the deadline."""
        if self._slot.busy:
            raise RuntimeError("this thread has a transaction open already")
        session = self._begin(deadline)
        self._slot.busy = True
        try:
            yield self._runner(session, deadline)
            patience = deadline.left()
        except BaseException:
            self._roll_back(session)
            raise
        else:
            self._commit(session, patience)
        finally:
            self._slot.busy = False

    def read(self, deadline: Deadline, sql: str, **parameters: object) -> list[Row]:
        """One statement that only reads, in one exchange; asked again if an idle connection turns out to be dead."""
        old = self._slot.session
        if old is not None:
            with suppress(ConnectionLost):
                return self._exchange(old, deadline, (sql, parameters), share=SHARE_FOR_OLD_CONNECTION)
        return self._exchange(self._open(deadline), deadline, (sql, parameters))

    def run_together(self, deadline: Deadline, *steps: Step) -> list[Row]:
        """A whole transaction in one exchange, where nothing is decided in between; at most one step returns rows."""
        session = self._lively(deadline)
        try:
            return self._exchange(session, deadline, *steps)
        except ConnectionLost as exc:
            raise Ambiguous("the answer to a transaction was lost") from exc

    def close(self) -> None:
        """This thread's connection."""
        session, self._slot.session = self._slot.session, None
        if session is not None:
            session.close()

    def _lively(self, deadline: Deadline) -> Session:
        """A connection that shows no sign of having died, asked if it was left alone for long."""
        old = self._slot.session
        if old is not None and old.is_quiet():
            if time.monotonic() - self._slot.used_at < IDLE_SECONDS:
                return old
            with suppress(ConnectionLost), self._discarding(old):
                old.limit(deadline.left() * SHARE_FOR_OLD_CONNECTION)
                old.script("")
                return old
        return self._open(deadline)

    def _begin(self, deadline: Deadline) -> Session:
        old = self._slot.session
        if old is not None:
            # Nothing of the transaction was sent yet, so it may begin again on another connection.
            with suppress(ConnectionLost):
                return self._start(old, deadline, deadline.left() * SHARE_FOR_OLD_CONNECTION)
        return self._start(self._open(deadline), deadline, deadline.left())

    def _start(self, session: Session, deadline: Deadline, patience: float) -> Session:
        with self._discarding(session):
            session.limit(patience)
            session.script(f"BEGIN; SET LOCAL statement_timeout = {int(deadline.left() * 1000) + 1}")
        return session

    def _exchange(self, session: Session, deadline: Deadline, *steps: Step, share: float = 1.0) -> list[Row]:
        with self._discarding(session):
            session.limit(deadline.left() * share + GRACE_SECONDS)
            session.allow(math.ceil(deadline.left()))
            return session.run_together(*steps)

    def _runner(self, session: Session, deadline: Deadline) -> Run:
        def run(sql: str, /, **parameters: object) -> list[Row]:
            with self._discarding(session):
                session.limit(deadline.left() + GRACE_SECONDS)
                return session.run(sql, **parameters)

        return run

    def _commit(self, session: Session, patience: float) -> None:
        try:
            with self._discarding(session):
                session.limit(patience + GRACE_SECONDS)
                session.script("COMMIT")
        except ConnectionLost as exc:
            raise Ambiguous("the answer to a commit was lost") from exc

    def _roll_back(self, session: Session) -> None:
        if session is not self._slot.session:
            return
        try:
            session.limit(1.0)
            session.script("ROLLBACK")
        except ArchivoltError:
            self.close()

    @contextmanager
    def _discarding(self, session: Session) -> Iterator[None]:
        """A connection whose state is unknown is not used again."""
        try:
            yield
            self._slot.used_at = time.monotonic()
        except BaseException as exc:
            known = isinstance(exc, ArchivoltError) and not isinstance(exc, ConnectionLost)
            if session is self._slot.session and not known:
                self.close()
            raise

    def _open(self, deadline: Deadline) -> Session:
        self.close()
        session = self._connect(deadline.left())
        self._slot.session = session
        self._slot.used_at = time.monotonic()
        return session
