"""What an error of the SDK means for us, and whether the same call may be tried again."""

from __future__ import annotations

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    IncompleteReadError,
    ProxyConnectionError,
    SSLError,
)
from botocore.parsers import ResponseParserError

from shared.domain.errors import Ambiguous, ArchivoltError, NotFound, PreconditionFailed, Throttled, Unavailable

LONGEST_PAUSE = 1.0

NOT_SENT = (EndpointConnectionError, ConnectTimeoutError, ProxyConnectionError)
# A TLS error may also be a connection cut after the request was sent.
ANSWER_LOST = (HTTPClientError, SSLError, IncompleteReadError, ResponseParserError)
SDK_ERRORS = (ClientError, BotoCoreError, ResponseParserError)


def refusal(exc: ClientError, bucket: str, *, write: bool) -> ArchivoltError:
    status, code = _status(exc), exc.response["Error"]["Code"]
    if status == 412 or code == "ConditionalRequestConflict":
        return PreconditionFailed()
    if status == 404 and code != "NoSuchBucket":
        return NotFound()
    if status == 429 or code == "SlowDown":
        return Throttled(retry_after(exc), f"bucket {bucket} asked us to slow down")
    if status in (401, 403):
        return Unavailable(f"access to bucket {bucket} was denied ({code}): are the access key and its rights right?")
    # A server that fails, or a gateway before it, does not say whether the write was done.
    failed = Ambiguous if write and status >= 500 and status != 501 else Unavailable
    return failed(f"bucket {bucket} answered {status} ({code})")


def may_pass(exc: Exception) -> bool:
    if not isinstance(exc, ClientError):
        return isinstance(exc, NOT_SENT + ANSWER_LOST)
    passing = _status(exc) == 429 or (_status(exc) >= 500 and _status(exc) != 501)
    return passing and (retry_after(exc) or 0) <= LONGEST_PAUSE


def _status(exc: ClientError) -> int:
    return exc.response["ResponseMetadata"]["HTTPStatusCode"]


def retry_after(exc: Exception) -> float | None:
    if not isinstance(exc, ClientError):
        return None
    value = exc.response["ResponseMetadata"]["HTTPHeaders"].get("retry-after", "")
    return float(value) if value.isdecimal() else None
