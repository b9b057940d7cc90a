"""Sends log lines through Cloud Logging's API, for processes whose standard output nobody collects."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from google.cloud import logging as cloud_logging
from google.cloud.logging_v2.handlers import CloudLoggingHandler
from google.cloud.logging_v2.handlers.transports import BackgroundThreadTransport
from google.cloud.logging_v2.resource import Resource

from shared.observability import lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.cloud.logging_v2.handlers.transports import Transport

LOG_NAME = "archivolt"
# What the client itself logs while sending would come back to it without end.
OWN_LOGGERS = ("google", "grpc", "urllib3", "requests")


class CloudLines(logging.Handler):
    """Hands each record to Google's handler as the same fields that standard output would show."""

    def __init__(self, inner: logging.Handler, project: str | None) -> None:
        super().__init__()
        self._inner = inner
        self._project = project

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.split(".")[0] in OWN_LOGGERS:
            return
        with suppress(Exception):
            self._inner.handle(self._as_payload(record))

    def flush(self) -> None:
        self._inner.flush()

    def close(self) -> None:
        self._inner.close()
        super().close()

    def _as_payload(self, record: logging.LogRecord) -> logging.LogRecord:
        correlation = lines.correlation(self._project)
        return logging.makeLogRecord(
            {
                **vars(record),
                "msg": lines.payload(record),
                "args": None,
                "exc_info": None,
                "trace": correlation.get(lines.TRACE),
                "span_id": correlation.get(lines.SPAN),
                "labels": lines.labels(),
            }
        )


def cloud_handler(
    project: str | None,
    client: Callable[..., cloud_logging.Client] = cloud_logging.Client,
    transport: type[Transport] = BackgroundThreadTransport,
) -> logging.Handler:
    """The handler for LOG_BACKEND=google-cloud; lines are sent by a thread of its own, and at exit."""
    opened = client(project=project)
    resource = Resource(type="global", labels={"project_id": opened.project})
    return CloudLines(
        CloudLoggingHandler(opened, name=LOG_NAME, transport=transport, resource=resource), opened.project
    )
