"""Sets logging up, once, when a function's main.py is imported: what is written, where, and in which shape."""

from __future__ import annotations

import importlib
import logging
import sys
from contextlib import suppress
from typing import Literal

from pydantic import Field

from shared.config import Settings
from shared.domain.errors import ConfigError
from shared.observability.lines import JsonLines, TextLines

QUIET = ("httpx", "httpcore", "botocore", "urllib3", "werkzeug", "google", "grpc")


class LogSettings(Settings):
    """Where log lines go and how they look."""

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        "INFO", description="the least severity that is written: DEBUG, INFO, WARNING or ERROR"
    )
    log_format: Literal["json", "text"] = Field("json", description="json for Cloud Logging, text for a person")
    log_backend: Literal["stdout", "google-cloud"] = Field(
        "stdout", description="stdout (Cloud Run reads it), or google-cloud to send lines through its API"
    )
    google_cloud_project: str | None = Field(None, description="the project's id, which makes a trace's full name")


class StandardOutput(logging.Handler):
    """Writes to what `sys.stdout` is at that moment: functions-framework exchanges it for each request."""

    def emit(self, record: logging.LogRecord) -> None:
        # A log line is never worth a failed request.
        with suppress(Exception):
            sys.stdout.write(self.format(record) + "\n")
            sys.stdout.flush()


def configure_logging(settings: LogSettings | None = None) -> None:
    """Take the root logger over, whatever functions-framework set before it imported the function."""
    chosen = settings or LogSettings.from_env()
    root = logging.getLogger()
    for handler in list(root.handlers):
        root.removeHandler(handler)
    root.addHandler(_handler(chosen))
    root.setLevel(chosen.log_level)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def _handler(settings: LogSettings) -> logging.Handler:
    if settings.log_backend == "google-cloud":
        return _cloud_handler(settings.google_cloud_project)
    handler = StandardOutput()
    handler.setFormatter(TextLines() if settings.log_format == "text" else JsonLines(settings.google_cloud_project))
    return handler


def _cloud_handler(project: str | None) -> logging.Handler:
    # By name, because a static import would make each service depend on the SDK, and pay for it at its cold start.
    try:
        cloud = importlib.import_module("shared.observability.cloud")
    except ModuleNotFoundError as exc:
        raise ConfigError("LOG_BACKEND is wrong: google-cloud needs the extra `logging` to be installed") from exc
    handler: logging.Handler = cloud.cloud_handler(project)
    return handler
