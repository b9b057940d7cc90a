"""Free ports on the loopback address."""

from __future__ import annotations

import random
import socket
from collections.abc import Mapping
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

from scripts.local.errors import CannotStartError

HOST = "127.0.0.1"
# SeaweedFS opens every port a second time, this much higher. Both halves stay below 32768, where Linux begins
# to hand ports to outgoing connections, so that none is taken between our look and the server's bind.
GRPC_OFFSET = 10_000
LOWEST, HIGHEST = 12_000, 22_000
ATTEMPTS = 200


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def is_free_pair(port: int) -> bool:
    return is_free(port) and is_free(port + GRPC_OFFSET)


def free_ports(count: int) -> list[int]:
    """Distinct ports that are free, as are the ports GRPC_OFFSET above them."""
    found: set[int] = set()
    for _ in range(ATTEMPTS + count):
        port = random.randrange(LOWEST, HIGHEST)
        if is_free_pair(port):
            found.add(port)
        if len(found) == count:
            return list(found)
    raise CannotStartError(f"No free port between {LOWEST} and {HIGHEST}. Stop what uses them, then start again.")


def free_port() -> int:
    return free_ports(1)[0]


def listen(port: int) -> socket.socket:
    """A socket that holds the port from now on, for a child to serve: nobody can take it while that one starts."""
    try:
        return socket.create_server((HOST, port), backlog=128)
    except OSError as error:
        raise CannotStartError(
            f"Port {port} on {HOST} is taken by another program. Choose another with --port, or stop that program."
        ) from error


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((HOST, port)) == 0


def answers_http(url: str, headers: Mapping[str, str] | None = None) -> bool:
    """Whether a web server is there and does not refuse."""
    try:
        build_opener(ProxyHandler({})).open(Request(url, headers=headers or {}), timeout=2).close()
    except HTTPError as refusal:
        refusal.close()
        return False
    except (URLError, OSError):
        return False
    return True
