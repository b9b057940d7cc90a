"""GET /healthz: which of the parts a function needs it can reach, answered in time even when one hangs."""

from __future__ import annotations

import time
from concurrent.futures import Future
from contextvars import copy_context
from threading import Lock, Thread
from typing import TYPE_CHECKING

from shared.http.responses import json_response
from shared.observability.logs import Log

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask import Response

    from shared.http.router import Call

log = Log(__name__)

OK, FAILED, TIMEOUT = "ok", "failed", "timeout"


class Health:
    """A handler that runs named checks side by side; a check says by an exception that its part is not there."""

    def __init__(self, checks: Mapping[str, Callable[[], object]], timeout: float = 2.0) -> None:
        self._checks = checks
        self._timeout = timeout
        self._running: dict[str, Future[str]] = {}
        self._lock = Lock()

    def __call__(self, _call: Call) -> Response:
        parts = self.parts()
        healthy = all(state == OK for state in parts.values())
        return json_response({"status": OK if healthy else "unavailable", "parts": parts}, 200 if healthy else 503)

    def parts(self) -> dict[str, str]:
        deadline = time.monotonic() + self._timeout
        begun = {name: self._begin(name) for name in self._checks}
        return {name: _state(future, deadline) for name, future in begun.items()}

    def _begin(self, name: str) -> Future[str]:
        # A check that hangs is waited for again, not started again: else each probe would leave one more thread.
        with self._lock:
            running = self._running.get(name)
            if running is None or running.done():
                running = self._running[name] = Future()
                arguments = (_run, name, self._checks[name], running)
                Thread(target=copy_context().run, args=arguments, name=f"health-{name}", daemon=True).start()
            return running


def _run(name: str, check: Callable[[], object], outcome: Future[str]) -> None:
    try:
        check()
    except Exception:
        log.exception("health.failed", part=name)
        outcome.set_result(FAILED)
    else:
        outcome.set_result(OK)


def _state(future: Future[str], deadline: float) -> str:
    try:
        return future.result(max(0.0, deadline - time.monotonic()))
    except TimeoutError:
        return TIMEOUT
