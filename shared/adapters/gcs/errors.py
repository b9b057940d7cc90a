"""What an error of the SDK means for us, and whether the same call may be tried again."""

from __future__ import annotations

from google.api_core.exceptions import GoogleAPICallError
from google.auth.exceptions import GoogleAuthError
from google.cloud.storage.exceptions import DataCorruption
from requests import ConnectTimeout, RequestException
from urllib3.exceptions import MaxRetryError, NewConnectionError

from shared.domain.errors import Ambiguous, ArchivoltError, NotFound, PreconditionFailed, Throttled, Unavailable

LONGEST_PAUSE = 1.0
SDK_ERRORS = (GoogleAPICallError, GoogleAuthError, RequestException, DataCorruption)


def refusal(exc: GoogleAPICallError, bucket: str, *, write: bool) -> ArchivoltError:
    status = exc.code or 0
    if status == 412:
        return PreconditionFailed()
    if status == 404 and "bucket does not exist" not in str(exc.message):
        return NotFound()
    if status == 429:
        return Throttled(retry_after(exc), f"bucket {bucket} asked us to slow down")
    if status in (401, 403):
        return Unavailable(f"access to bucket {bucket} was denied: has the service account a role on it?")
    # A server that fails, or a gateway before it, does not say whether the write was done.
    failed = Ambiguous if write and status >= 500 and status != 501 else Unavailable
    return failed(f"bucket {bucket} answered {status}")


def may_pass(exc: Exception) -> bool:
    if not isinstance(exc, GoogleAPICallError):
        return True
    status = exc.code or 0
    passing = status in (408, 429) or (status >= 500 and status != 501)
    return passing and (retry_after(exc) or 0) <= LONGEST_PAUSE


def was_not_sent(exc: Exception) -> bool:
    if isinstance(exc, GoogleAuthError | ConnectTimeout):
        return True
    cause = exc.args[0] if exc.args else None
    return isinstance(cause, MaxRetryError) and isinstance(cause.reason, NewConnectionError)


def retry_after(exc: Exception) -> float | None:
    headers = getattr(getattr(exc, "response", None), "headers", None) or {}
    value = str(headers.get("Retry-After", ""))
    return float(value) if value.isdecimal() else None
