"""Lines through Cloud Logging's own client, with its transport handed in."""

from __future__ import annotations

import logging
from contextvars import copy_context
from typing import TYPE_CHECKING

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import logging as cloud_logging
from google.cloud.logging_v2.handlers.transports import Transport

from shared.observability import context
from shared.observability.cloud import cloud_handler
from shared.observability.context import RequestContext, Trace
from shared.observability.logs import Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

log = Log("tests.cloud")

Sent = list[tuple[object, dict[str, object]]]


class Kept(Transport):
    """Keeps what would have been sent."""

    sent: Sent

    def send(self, record: logging.LogRecord, message: object, **entry: object) -> None:
        self.sent.append((message, entry))

    def close(self) -> None:
        """Nothing is open."""


class Broken(Kept):
    def send(self, record: logging.LogRecord, message: object, **entry: object) -> None:
        raise ConnectionError


def client(project: str) -> cloud_logging.Client:
    make: Callable[..., cloud_logging.Client] = cloud_logging.Client
    anonymous: Callable[[], AnonymousCredentials] = AnonymousCredentials
    return make(project=project, credentials=anonymous(), _use_grpc=False)


@pytest.fixture
def sent(root: logging.Logger) -> Iterator[Sent]:
    kept: Sent = []
    handler = cloud_handler("a-project", client, type("Collecting", (Kept,), {"sent": kept}))
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield kept
    handler.close()


def test_an_event_is_sent_as_the_fields_standard_output_would_show(sent: Sent) -> None:
    log.event("archive.queued", r2Key="org/1/a.pdf", apiKey="hunter2")

    ((message, _),) = sent
    assert isinstance(message, dict)
    assert (message["action"], message["r2Key"], message["apiKey"]) == ("archive.queued", "org/1/a.pdf", "[redacted]")


def test_the_trace_is_the_entrys_own(sent: Sent) -> None:
    def serve() -> None:
        context.enter(RequestContext("drain", "r-1", Trace("ab" * 16, "cd" * 8)))
        log.event("a.thing")

    copy_context().run(serve)

    ((_, entry),) = sent
    assert (entry["trace"], entry["span_id"]) == (f"projects/a-project/traces/{'ab' * 16}", "cd" * 8)
    assert entry["labels"] == {"python_logger": "tests.cloud", "function": "drain"}


def test_what_the_client_logs_while_sending_is_not_sent(sent: Sent) -> None:
    logging.getLogger("google.api_core").warning("retrying")

    assert sent == []


def test_a_transport_that_fails_does_not_cost_the_request(root: logging.Logger) -> None:
    handler = cloud_handler("a-project", client, Broken)
    root.addHandler(handler)

    log.warning("a.thing")

    handler.close()
