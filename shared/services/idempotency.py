"""A request sent twice with one Idempotency-Key is carried out once, as far as the database can tell."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from uuid import UUID

from shared.domain.audit import ArchiveStatus, IdempotencyRecord
from shared.domain.errors import Conflict, Unavailable
from shared.domain.submission import Accepted, Submission
from shared.observability.logs import Log
from shared.ports import Ledger

log = Log(__name__)


def once(ledger: Ledger, key: str | None, submission: Submission, carry_out: Callable[[], Accepted]) -> Accepted:
    """Best effort while the database is down: the work itself is idempotent, so a repetition does no harm."""
    if key is None:
        return carry_out()
    digest = hashlib.sha256(submission.model_dump_json().encode()).hexdigest()
    kept = _recall(ledger, submission.organization_id, key)
    if kept is not None:
        return _answer(kept, digest)
    accepted = carry_out()
    status = 200 if accepted.status is ArchiveStatus.ARCHIVED else 202
    record = IdempotencyRecord(digest, status, accepted.model_dump(mode="json", by_alias=True))
    return _answer(_remember(ledger, submission.organization_id, key, record), digest)


def _answer(kept: IdempotencyRecord, digest: str) -> Accepted:
    if kept.request_digest != digest:
        raise Conflict("this Idempotency-Key was used for another request")
    return Accepted.model_validate(kept.response)


def _recall(ledger: Ledger, organization_id: UUID, key: str) -> IdempotencyRecord | None:
    try:
        return ledger.recall(organization_id, key)
    except Unavailable as exc:
        log.warning("idempotency.unavailable", error=str(exc))
        return None


def _remember(ledger: Ledger, organization_id: UUID, key: str, record: IdempotencyRecord) -> IdempotencyRecord:
    try:
        return ledger.remember(organization_id, key, record)
    except Unavailable as exc:
        log.warning("idempotency.unavailable", error=str(exc))
        return record
