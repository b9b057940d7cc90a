"""Serves a stand-in over HTTP/1.1 on a real port, one thread for each connection."""

from __future__ import annotations

import logging
import os
import select
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from tests.stand_ins.paperless import wire
from tests.stand_ins.paperless.messages import Request, Response, error_page
from tests.stand_ins.paperless.options import BadOption
from tests.stand_ins.paperless.server import Paperless

TICK_SECONDS = 0.05
IDLE_SECONDS = 300.0
PARTING_SECONDS = 5.0
logger = logging.getLogger(__name__)
# Closing with this sends a reset instead of an orderly end.
_RESET = struct.pack("ii", 1, 0)


class HttpServer:
    """Listens, and lets the stand-in's time go on while nobody asks."""

    def __init__(self, paperless: Paperless, host: str = "127.0.0.1", port: int = 0) -> None:
        self._paperless = paperless
        self._stopping = threading.Event()
        self._connections: set[socket.socket] = set()
        self._threads: set[threading.Thread] = set()
        self._ticker: threading.Thread | None = None
        try:
            self._listener: socket.socket | None = socket.create_server((host, port), backlog=256)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise BadOption(f"cannot listen on {host}:{port}: {reason}; choose another --port") from error
        self.address: tuple[str, int] = (host, self._listener.getsockname()[1])
        self.url = f"http://{host}:{self.address[1]}"

    def start(self) -> None:
        self._spawn(self._accept)
        self._ticker = self._spawn(self._tick)

    def _spawn(self, work: Callable[[], None]) -> threading.Thread:
        def run() -> None:
            try:
                work()
            finally:
                self._threads.discard(thread)

        thread = threading.Thread(target=run, daemon=True)
        self._threads.add(thread)
        thread.start()
        return thread

    def stop(self) -> None:
        """Closes every connection; when this returns, nobody works on the stand-in any more."""
        self._stopping.set()
        if self._ticker is not None:
            self._ticker.join(PARTING_SECONDS)
        self._shut()
        for thread in list(self._threads):
            thread.join(PARTING_SECONDS)

    def _shut(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _tick(self) -> None:
        while not self._stopping.wait(TICK_SECONDS):
            self._paperless.advance()
            unreachable = self._paperless.is_unreachable()
            if unreachable and self._listener is not None:
                self._shut()
            elif not unreachable and self._listener is None:
                self._open_again()

    def _open_again(self) -> None:
        with suppress(OSError):
            self._listener = socket.create_server(self.address, backlog=256)
            self._spawn(self._accept)

    def _accept(self) -> None:
        while (listener := self._listener) is not None:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self._spawn(partial(self._serve, connection))

    def _serve(self, connection: socket.socket) -> None:
        self._connections.add(connection)
        try:
            with suppress(OSError, ValueError):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.settimeout(IDLE_SECONDS)
                self._converse(connection)
        finally:
            self._connections.discard(connection)
            connection.close()

    def _converse(self, connection: socket.socket) -> None:
        with connection.makefile("rb") as stream:
            while (request := wire.read(stream, connection)) is not None:
                response = self._answer(request)
                if response.breakage:
                    self._break(connection, response)
                    return
                last = request.headers.get("connection", "").lower() == "close"
                connection.sendall(wire.written(request, response, last=last))
                if last:
                    return

    def _answer(self, request: Request) -> Response:
        """A mistake of ours is shown to whoever runs the server, and answered as one of theirs would be."""
        try:
            return self._paperless.handle(request)
        except Exception:
            logger.exception("%s %s failed", request.method, request.path)
            return error_page(500)

    def _break(self, connection: socket.socket, response: Response) -> None:
        if response.breakage == "hung":
            self._hang(connection, response.seconds)
        if response.breakage == "refused":
            # The port stays open for the admin endpoint, so this is the nearest thing to a refusal.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        else:
            connection.shutdown(socket.SHUT_RDWR)

    def _hang(self, connection: socket.socket, seconds: float | None) -> None:
        """Until the client gives up, the time is over, or the server stops."""
        waited = 0.0
        while not self._stopping.is_set() and (seconds is None or waited < seconds):
            readable, _, _ = select.select([connection], [], [], TICK_SECONDS)
            if readable and not connection.recv(1, socket.MSG_PEEK):
                return
            waited += TICK_SECONDS
