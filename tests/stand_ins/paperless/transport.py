"""Drives a stand-in from inside the process, for clients that are built on httpx."""

from __future__ import annotations

import httpx

from tests.stand_ins.paperless.messages import Request, Response
from tests.stand_ins.paperless.server import Paperless

# How long a client without a timeout waits for an answer that never comes.
FOR_EVER_SECONDS = 3600.0


class StandInTransport(httpx.BaseTransport):
    """No socket, no real time: an answer that does not come is raised as httpx would raise it."""

    def __init__(self, paperless: Paperless) -> None:
        self._paperless = paperless

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._paperless.handle(to_request(request))
        if response.breakage:
            self._break(request, response)
        return httpx.Response(response.status, headers=dict(response.headers), content=response.body, request=request)

    def _break(self, request: httpx.Request, response: Response) -> None:
        if response.breakage == "refused":
            raise httpx.ConnectError("[Errno 111] Connection refused", request=request)
        if response.breakage == "lost":
            raise httpx.RemoteProtocolError("Server disconnected without sending a response.", request=request)
        patience = request.extensions.get("timeout", {}).get("read")
        hangs = response.seconds
        limit = FOR_EVER_SECONDS if patience is None else patience
        self._paperless.clock.sleep(limit if hangs is None else min(hangs, limit))
        if hangs is not None and hangs < limit:
            raise httpx.RemoteProtocolError("Server disconnected without sending a response.", request=request)
        raise httpx.ReadTimeout("The read operation timed out", request=request)


def to_request(request: httpx.Request) -> Request:
    headers = {name.lower(): value for name, value in request.headers.items()}
    return Request(
        method=request.method,
        path=request.url.path,
        query=request.url.query.decode("ascii"),
        headers=headers,
        body=request.read(),
    )
