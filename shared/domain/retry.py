"""What a failure means, in one table, so that only a document's own fault is ever held against it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from shared.domain.errors import Unavailable

CHARGES_BEFORE_DEATH = 3
CRASHES_BEFORE_DEATH = 5
SUBMISSIONS_BEFORE_ALERT = 10
BACKOFF = (2.0, 4.0, 8.0)
LONGEST_BACKOFF = 30.0


class ErrorClass(StrEnum):
    """Whose fault it is."""

    DOWN = "down"
    AUTH = "auth"
    EDGE = "edge"
    CONFIG = "config"
    THROTTLED = "throttled"
    AMBIGUOUS = "ambiguous"
    LOST = "lost"
    OURS_DOWN = "ours_down"
    DOCUMENT = "document"
    DUPLICATE = "duplicate"


class Scope(StrEnum):
    """What a failure stops."""

    RUN = "run"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """What follows from a class of failure: it is acted on elsewhere."""

    stops: Scope
    weighed: bool = False
    """Of an upload it may be this document's fault or everybody's, which the run's evidence must tell first."""
    charged: bool = False


DECISIONS: dict[ErrorClass, RetryDecision] = {
    ErrorClass.DOWN: RetryDecision(Scope.RUN, weighed=True),
    ErrorClass.EDGE: RetryDecision(Scope.RUN, weighed=True),
    ErrorClass.AMBIGUOUS: RetryDecision(Scope.DOCUMENT, weighed=True),
    ErrorClass.AUTH: RetryDecision(Scope.RUN),
    ErrorClass.CONFIG: RetryDecision(Scope.RUN),
    ErrorClass.THROTTLED: RetryDecision(Scope.DOCUMENT),
    ErrorClass.LOST: RetryDecision(Scope.DOCUMENT),
    ErrorClass.OURS_DOWN: RetryDecision(Scope.DOCUMENT),
    ErrorClass.DUPLICATE: RetryDecision(Scope.DOCUMENT),
    ErrorClass.DOCUMENT: RetryDecision(Scope.DOCUMENT, charged=True),
}


class Stage(StrEnum):
    """How far a request got before it failed."""

    UNSENT = "unsent"
    SENT = "sent"
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class Fault:
    """One failed request to Paperless, reduced to what its meaning depends on."""

    stage: Stage
    uploading: bool
    status: int = 0
    is_json: bool = False
    body: str = ""
    retry_after: float | None = None

    def __str__(self) -> str:
        what = f"{self.status} {self.body[:200]}" if self.stage is Stage.ANSWERED else f"{self.stage} {self.body[:200]}"
        return what.strip()


class PaperlessError(Unavailable):
    """A request to Paperless did not do its work."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault

    @property
    def error_class(self) -> ErrorClass:
        return classify(self.fault)


def misconfigured(why: str) -> PaperlessError:
    """Paperless answered, and not as it must for us to go on; it reads as CONFIG."""
    return PaperlessError(Fault(Stage.ANSWERED, uploading=False, status=200, is_json=True, body=why))


def classify(fault: Fault) -> ErrorClass:
    """A failed request; whether it is this document's fault or everybody's is for the evidence of the run to say."""
    if fault.stage is Stage.UNSENT:
        return ErrorClass.DOWN
    if fault.stage is Stage.SENT:
        return ErrorClass.AMBIGUOUS if fault.uploading else ErrorClass.DOWN
    return _classify_answer(fault)


def _classify_answer(fault: Fault) -> ErrorClass:
    status = fault.status
    if status == 429:
        return ErrorClass.THROTTLED
    if status == 401:
        return ErrorClass.AUTH
    if 300 <= status < 400:
        return ErrorClass.EDGE
    if status == 403:
        return ErrorClass.CONFIG if fault.is_json or _BARE_PERMISSIONS.match(fault.body) else ErrorClass.EDGE
    if status >= 500:
        return ErrorClass.AMBIGUOUS if fault.uploading and status in _GATEWAY else ErrorClass.DOWN
    if status < 300:
        return ErrorClass.CONFIG if fault.is_json else ErrorClass.EDGE
    if fault.uploading and status in (400, 413, 415):
        return ErrorClass.CONFIG if _UNKNOWN_LABEL.search(fault.body) else ErrorClass.DOCUMENT
    return ErrorClass.CONFIG


def classify_task(result: str) -> ErrorClass:
    """A task that ended in FAILURE, by its text (always English: no Accept-Language is sent)."""
    for pattern, error_class in _TASK_TEXTS:
        if pattern.search(result):
            return error_class
    return ErrorClass.DOCUMENT


def backoff(attempt: int, retry_after: float | None = None) -> float | None:
    """Seconds to wait before attempt number `attempt` + 1 within a run; None when there is none."""
    if attempt >= len(BACKOFF):
        return None
    return min(max(BACKOFF[attempt], retry_after or 0.0), LONGEST_BACKOFF)


_GATEWAY = frozenset({502, 504, *range(520, 528)})
_BARE_PERMISSIONS = re.compile(r"\s*Insufficient permissions\s*$")
_UNKNOWN_LABEL = re.compile(r"object does not exist|\"(tags|correspondent|document_type|custom_fields)\"")
_TASK_TEXTS = (
    (re.compile(r"duplicate of|UNIQUE constraint failed: documents_document\.checksum"), ErrorClass.DUPLICATE),
    (re.compile(r"database is locked|Worker exited prematurely|WorkerLostError|OperationalError"), ErrorClass.LOST),
    (re.compile(r"No space left|MemoryError|ConnectionError|TimeLimitExceeded|Traceback|<traceback"), ErrorClass.LOST),
    (re.compile(r"(Tag|Correspondent|DocumentType|CustomField) matching query does not exist"), ErrorClass.CONFIG),
    (re.compile(r"Invalid ocr mode"), ErrorClass.CONFIG),
)
