"""Servers of the local stack for the length of a block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar


class Server(Protocol):
    """Something the local stack launched."""

    def wait_ready(self) -> float: ...
    def stop(self) -> None: ...


S = TypeVar("S", bound=Server)


@contextmanager
def started(server: S) -> Iterator[S]:
    """The server, ready; stopped at the end."""
    try:
        server.wait_ready()
        yield server
    finally:
        server.stop()
