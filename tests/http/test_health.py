"""The health page answers in time and says which part is missing."""

from __future__ import annotations

import time
from threading import Event
from typing import TYPE_CHECKING

from flask import Request
from werkzeug.test import EnvironBuilder

from shared.http.health import Health
from shared.http.router import Call

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from tests.http.conftest import Lines

CALL = Call(Request(EnvironBuilder().get_environ()), {}, None)


def broken() -> None:
    raise ConnectionError("no route to 10.0.0.1")


def test_all_well_is_200(client: FlaskClient) -> None:
    response = client.get("/healthz")

    assert response.status_code == 200
    assert response.get_json() == {"status": "ok", "parts": {"itself": "ok"}}


def test_a_part_that_fails_is_503_and_only_the_log_says_why(lines: Lines) -> None:
    response = Health({"store": lambda: None, "database": broken})(CALL)

    assert response.status_code == 503
    assert response.get_json() == {"status": "unavailable", "parts": {"store": "ok", "database": "failed"}}
    assert "10.0.0.1" in str(lines.of("health.failed")[0]["error"])


def test_parts_that_hang_are_told_after_one_timeout_for_all() -> None:
    stuck = Event()
    health = Health({"a": stuck.wait, "b": stuck.wait, "c": lambda: None}, timeout=0.1)

    started = time.monotonic()
    parts = health.parts()
    took = time.monotonic() - started
    stuck.set()

    assert parts == {"a": "timeout", "b": "timeout", "c": "ok"}
    assert took < 0.19


def test_a_check_that_hangs_is_not_started_a_second_time() -> None:
    stuck, begun = Event(), []

    def hang() -> None:
        begun.append(1)
        stuck.wait()

    health = Health({"a": hang}, timeout=0.02)
    states = [health.parts()["a"], health.parts()["a"]]
    stuck.set()

    assert (states, begun) == (["timeout", "timeout"], [1])


def test_a_part_that_comes_back_is_well_again() -> None:
    answers = iter([ConnectionError(), None])

    def flaky() -> None:
        if error := next(answers):
            raise error

    health = Health({"a": flaky})

    assert [health.parts()["a"], health.parts()["a"]] == ["failed", "ok"]
