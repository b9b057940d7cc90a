"""Log events, not sentences: an action and its fields."""

from __future__ import annotations

import logging
import sys


class Log:
    """The events of one module; `log.event("archive.queued", r2Key=key)`."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def event(self, action: str, **fields: object) -> None:
        self._write(logging.INFO, action, fields)

    def warning(self, action: str, **fields: object) -> None:
        self._write(logging.WARNING, action, fields)

    def error(self, action: str, **fields: object) -> None:
        """An exception given as `error` brings its stack trace along."""
        self._write(logging.ERROR, action, fields)

    def exception(self, action: str, **fields: object) -> None:
        """For an except block: the exception being handled, with its stack trace."""
        self.error(action, **{"error": sys.exc_info()[1], **fields})

    def _write(self, level: int, action: str, fields: dict[str, object]) -> None:
        error = fields.get("error")
        cause = error if level >= logging.ERROR and isinstance(error, BaseException) else None
        self._logger.log(level, action, exc_info=cause, extra={"fields": {"action": action, **fields}})
