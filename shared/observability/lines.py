"""A log record as a line: JSON that Cloud Logging understands, or columns for a person at a terminal."""

from __future__ import annotations

import json
import logging
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from shared.observability import context, redact

if TYPE_CHECKING:
    from collections.abc import Mapping

SEVERITIES = {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"}
TRACE, SPAN, LABELS = (f"logging.googleapis.com/{name}" for name in ("trace", "spanId", "labels"))


class JsonLines(logging.Formatter):
    """One JSON object per line."""

    def __init__(self, project: str | None = None) -> None:
        super().__init__()
        self._project = project

    def format(self, record: logging.LogRecord) -> str:
        return json.dumps({**payload(record), **correlation(self._project)}, separators=(",", ":"))


class TextLines(logging.Formatter):
    """Time, severity, what happened, and its fields; a stack trace below."""

    def format(self, record: logging.LogRecord) -> str:
        line = payload(record)
        time, severity, message = (str(line.pop(name)) for name in ("timestamp", "severity", "message"))
        stack = str(line.pop("stack_trace", ""))
        shown = " ".join(f"{name}={value}" for name, value in line.items() if name not in {"action", "logger"})
        return "\n".join(filter(None, (f"{time[11:23]} {severity:<8} {message}  {shown}".rstrip(), stack)))


def payload(record: logging.LogRecord) -> dict[str, object]:
    """What the line says, in the fields operators search by."""
    line: dict[str, object] = {
        "severity": record.levelname if record.levelname in SEVERITIES else "DEFAULT",
        "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="microseconds")[:-6] + "Z",
        "message": _message(record),
        "logger": record.name,
    }
    fields = {**context.log_fields(), **_own_fields(record)}
    line |= {name: redact.named(name, value) for name, value in fields.items() if name not in line}
    return {**line, **_exception(record, line)}


def correlation(project: str | None) -> dict[str, object]:
    """The names by which Cloud Logging joins the lines of one request, and of one trace across functions."""
    request = context.current()
    if request is None:
        return {}
    trace = request.trace.trace_id
    span = {SPAN: request.trace.span_id} if request.trace.span_id else {}
    return {TRACE: f"projects/{project}/traces/{trace}" if project else trace, **span, LABELS: labels()}


def labels() -> dict[str, str]:
    request = context.current()
    return {"function": request.function} if request else {}


def _own_fields(record: logging.LogRecord) -> Mapping[str, object]:
    fields: Mapping[str, object] = getattr(record, "fields", {})
    return fields


def _message(record: logging.LogRecord) -> str:
    # A wrong placeholder in some library's message must not cost us the line.
    with suppress(Exception):
        return redact.text(record.getMessage())
    return str(redact.clean(record.msg))


def _exception(record: logging.LogRecord, line: Mapping[str, object]) -> dict[str, object]:
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return {}
    stack = "".join(traceback.format_exception(error))[-redact.LONGEST_TEXT :]
    return {"error": line.get("error", redact.clean(error)), "stack_trace": redact.text(stack)}
