"""A wire between a client and a server that a test can cut, silence, or make lose one answer."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

READY = b"Z\x00\x00\x00\x05"  # how PostgreSQL ends its answer: all is done by then


class Wire:
    """Passes bytes both ways between its own port and the upstream's, which may change."""

    def __init__(self, upstream: int) -> None:
        self.upstream = upstream
        self.lose_answer_to: bytes | None = None
        self.silent = threading.Event()
        self.connections = 0
        self._losing: set[socket.socket] = set()
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def cut(self) -> None:
        """Every connection ends as if the server had died."""
        while self._open:
            _hang_up(self._open.pop())

    def close(self) -> None:
        _hang_up(self._listener)
        self.cut()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self.connections += 1
                self._connect(client)

    def _connect(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection(("127.0.0.1", self.upstream), 5)
        except OSError:
            client.close()
            return
        server.settimeout(None)
        self._open += [client, server]
        for source, target in ((client, server), (server, client)):
            thread = threading.Thread(target=self._pass, args=(source, target, client))
            self._threads.append(thread)
            thread.start()

    def _pass(self, source: socket.socket, target: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if self.silent.is_set():
                    continue
                if source is client and self.lose_answer_to and self.lose_answer_to in data:
                    self.lose_answer_to = None
                    self._losing.add(client)
                if source is client or client not in self._losing:
                    target.sendall(data)
                elif READY in data:
                    break
        _hang_up(source)
        _hang_up(target)


def _hang_up(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def wire_to(port: int) -> Iterator[Wire]:
    wire = Wire(port)
    try:
        yield wire
    finally:
        wire.close()
