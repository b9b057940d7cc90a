"""Schedules call their function again and again, as the scheduler would."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest

from scripts.local.function_facts import FunctionFacts, Schedule
from scripts.local.schedules import firing

Call = tuple[str, str | None, Any]


@contextmanager
def listener(calls: Queue[Call], status: int) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            calls.put((self.path, self.headers["X-Internal-Api-Key"], body))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def function(name: str, schedule: Schedule | None) -> FunctionFacts:
    return FunctionFacts(name, Path(name), name, schedule)


@pytest.mark.parametrize("status", [200, 500])
def test_a_scheduled_function_is_called_again_with_the_key_whatever_it_answers(status: int) -> None:
    calls: Queue[Call] = Queue()
    schedule = Schedule(cron="* * * * *", path="/tick", body={"shard": 1}, local_seconds=0.01)
    scheduled = [function("drain", schedule), function("by-hand", None)]

    with listener(calls, status) as url, firing(scheduled, url, "the-key"):
        seen = [calls.get(timeout=5), calls.get(timeout=5)]

    assert seen == [("/drain/tick", "the-key", {"shard": 1})] * 2


def test_a_function_that_is_not_there_is_one_line_not_a_flood(capsys: pytest.CaptureFixture[str]) -> None:
    calls: Queue[Call] = Queue()
    schedule = Schedule(cron="* * * * *", path="/", body={}, local_seconds=0.01)

    with listener(calls, 404) as url, firing([function("drain", schedule)], url, "the-key"):
        for _ in range(5):
            calls.get(timeout=5)

    assert capsys.readouterr().err.splitlines() == ["  schedule of drain: answered 404"]
