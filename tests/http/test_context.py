"""What is known of one request is never seen by another, though they share threads."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import jwt
import pytest

from shared.observability import context
from tests.http.sample.main import USER_SECRET

if TYPE_CHECKING:
    from flask import Flask


def token(organization: UUID, user: str) -> str:
    claims = {"sub": user, "organization_id": str(organization), "exp": time.time() + 60}
    return jwt.encode(claims, USER_SECRET, "HS256")


def test_requests_side_by_side_each_know_their_own_user(app: Flask) -> None:
    def ask(number: int) -> bool:
        organization = uuid4()
        headers = {"X-Request-Id": f"r-{number}", "Authorization": f"Bearer {token(organization, f'u-{number}')}"}
        known = app.test_client().get("/users", headers=headers).get_json()["known"]
        return bool(known == [f"r-{number}", str(organization), f"u-{number}"])

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(64)))

    assert all(answers)


def test_nothing_is_left_on_the_thread(app: Flask) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(app.test_client().get, "/items/1").result()
        left = pool.submit(context.current).result()

    assert left is None


def test_nothing_is_left_after_a_failure(app: Flask) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(app.test_client().get, "/fail/bug").result()
        left = pool.submit(context.log_fields).result()

    assert left == {}


def test_bound_fields_end_with_their_block() -> None:
    with context.bound(r2Key="a", run="1"), context.bound(r2Key="b"):
        inside = context.log_fields()

    assert inside == {"r2Key": "b", "run": "1"}
    assert context.log_fields() == {}


T, S = "0af7651916cd43dd8448eb211c80319c", "00f067aa0ba902b7"


@pytest.mark.parametrize(
    ("headers", "trace"),
    [
        ({"traceparent": f"00-{T}-{S}-01"}, context.Trace(T, S)),
        ({"traceparent": f"01-{T}-{S}-00-later"}, context.Trace(T, S)),
        ({"X-Cloud-Trace-Context": f"{T}/67667974448284343;o=1"}, context.Trace(T, S)),
        ({"X-Cloud-Trace-Context": T.upper()}, context.Trace(T, None)),
        ({"X-Cloud-Trace-Context": f"{T}/0"}, context.Trace(T, None)),
        ({"traceparent": f"00-{T}-{S}-01", "X-Cloud-Trace-Context": f"{'1' * 32}/1"}, context.Trace(T, S)),
    ],
)
def test_both_ways_to_name_a_trace_are_understood(headers: dict[str, str], trace: context.Trace) -> None:
    assert context.Trace.from_headers(headers) == trace


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"traceparent": f"ff-{T}-{S}-01"},
        {"traceparent": f"00-{'0' * 32}-{S}-01"},
        {"traceparent": f"00-{T}-{'0' * 16}-01"},
        {"X-Cloud-Trace-Context": "a/b;o=1"},
    ],
)
def test_without_a_good_trace_a_new_one_begins(headers: dict[str, str]) -> None:
    first, second = context.Trace.from_headers(headers), context.Trace.from_headers(headers)

    assert len(first.trace_id) == 32
    assert T not in {first.trace_id, second.trace_id}
    assert first != second


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "ø"])
def test_a_strange_request_id_is_replaced(given: str) -> None:
    made = context.RequestContext.from_headers("f", {"X-Request-Id": given}).request_id

    assert len(made) == 32
