"""Connections to a Cloud SQL instance, authorised by the identity the process runs under instead of a password."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTime
from typing import TYPE_CHECKING

from google.cloud.sql.connector import Connector, RefreshStrategy

from shared.adapters.postgres.session import Session
from shared.domain.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from pg8000.core import CoreConnection

    from shared.adapters.postgres.connection import PostgresSettings

    Dial = Callable[[float], CoreConnection]


def connector(settings: PostgresSettings) -> Callable[[float], Session]:
    return bounded(_Instance(settings).dial)


class _Instance:
    """Google's connector, made on first use: it looks for credentials, and starts a thread."""

    def __init__(self, settings: PostgresSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._connector: Connector | None = None

    def dial(self, seconds: float) -> CoreConnection:
        settings = self._settings
        return self._made().connect(
            str(settings.cloud_sql_instance),
            "pg8000",
            user=settings.database_user,
            database=settings.database_name,
            enable_iam_auth=True,
            ip_type=settings.cloud_sql_ip_type,
            timeout=seconds,
            ssl_context=False,  # the tunnel is TLS already
        )

    def _made(self) -> Connector:
        with self._lock:
            if self._connector is None:
                # Between requests the platform stops our CPU, and a background refresh would miss its moment.
                self._connector = Connector(refresh_strategy=RefreshStrategy.LAZY)
            return self._connector


def bounded(dial: Dial) -> Callable[[float], Session]:
    """The connector sets no limit to its own lookups and handshake, so they are waited for from outside."""
    pool = ThreadPoolExecutor(thread_name_prefix="cloud-sql")

    def connect(seconds: float) -> Session:
        future = pool.submit(dial, seconds)
        try:
            error = future.exception(seconds)
        except NotInTime as exc:
            future.add_done_callback(_hang_up)
            raise Unavailable("the Cloud SQL instance cannot be reached in time") from exc
        if error is not None:
            raise Unavailable(f"the Cloud SQL instance cannot be reached ({type(error).__name__})") from error
        return Session(future.result())

    return connect


def _hang_up(late: Future[CoreConnection]) -> None:
    if not late.cancelled() and late.exception() is None:
        Session(late.result()).close()
