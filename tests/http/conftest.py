"""The sample function as functions-framework serves it, in this process or over a socket."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import functions_framework
import pytest
from werkzeug.serving import make_server

from shared.observability.lines import JsonLines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from flask.testing import FlaskClient

SAMPLE = Path(__file__).parent / "sample" / "main.py"


class Lines(logging.Handler):
    """Keeps the JSON lines that are logged."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(JsonLines("a-project"))
        self.written: list[dict[str, object]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.written.append(json.loads(self.format(record)))

    def of(self, action: str) -> list[dict[str, object]]:
        return [line for line in self.written if line.get("action") == action]


@pytest.fixture(scope="session")
def app() -> Flask:
    create: Callable[..., Flask] = functions_framework.create_app
    return create("sample", str(SAMPLE))


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def lines() -> Iterator[Lines]:
    kept, root = Lines(), logging.getLogger()
    level = root.level
    root.addHandler(kept)
    root.setLevel(logging.INFO)
    yield kept
    root.removeHandler(kept)
    root.setLevel(level)


@pytest.fixture(scope="session")
def address(app: Flask) -> Iterator[tuple[str, int]]:
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield "127.0.0.1", server.server_port
    server.shutdown()
    thread.join()
    server.server_close()
