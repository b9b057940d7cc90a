"""Ports are free when they are said to be, and a taken one is a clear sentence."""

from __future__ import annotations

import socket

import pytest

from scripts.local import ports
from scripts.local.errors import CannotStartError
from scripts.local.stack import listen


def test_free_ports_are_distinct_and_leave_room_for_their_twins() -> None:
    found = ports.free_ports(20)

    assert len(set(found)) == 20
    assert all(port + ports.GRPC_OFFSET < 55_000 for port in found)


def test_a_taken_port_is_not_free() -> None:
    with socket.create_server((ports.HOST, 0)) as taken:
        port = taken.getsockname()[1]

        assert not ports.is_free(port)
        assert ports.is_listening(port)

    assert ports.is_free(port)


def test_a_wanted_port_that_is_taken_is_refused_with_what_to_do() -> None:
    with (
        socket.create_server((ports.HOST, 0)) as taken,
        pytest.raises(CannotStartError, match=r"is taken by another program\. Choose another with --port"),
    ):
        listen(taken.getsockname()[1])


def test_without_a_wish_there_is_always_a_port_and_it_is_held_at_once() -> None:
    with listen(None) as first, listen(None) as second:
        assert first.getsockname() != second.getsockname()
        assert not ports.is_free(first.getsockname()[1])


def test_nobody_answering_is_not_an_answer() -> None:
    assert not ports.answers_http(f"http://{ports.HOST}:{ports.free_port()}/")
