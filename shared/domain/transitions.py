"""The moves a sidecar can make, each a pure function from one sidecar to the next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from shared.domain.sidecar import KEPT_ERRORS, Document, Failure, Lease, Redrive, Sidecar, State, Submission, Verdict


def add_document(sidecar: Sidecar, document: Document, revision: str) -> Sidecar:
    """Another document of the application turned out to have the same bytes."""
    return sidecar.model_copy(update={"documents": (*sidecar.documents, document), "revision": revision})


def start_submitting(sidecar: Sidecar, lease: Lease, now: datetime) -> Sidecar:
    """Recorded before the upload is sent, so that after a crash it can be looked for by its file name."""
    attempt = sidecar.attempts + 1
    return sidecar.model_copy(
        update={
            "state": State.SUBMITTING,
            "submitting": Submission(file_name=_file_name(sidecar, attempt), at=now, attempt=attempt),
            "unresolved": sidecar.crashes,
            "task_id": None,
            "last_attempt_at": now,
            "lease": lease,
            "revision": lease.nonce,
        }
    )


def submitted(sidecar: Sidecar, task_id: str, lease: Lease) -> Sidecar:
    return sidecar.model_copy(
        update={
            "state": State.SUBMITTED,
            "task_id": task_id,
            "submissions": sidecar.submissions + 1,
            "unresolved": 0,
            "lease": lease,
            "revision": lease.nonce,
        }
    )


def answer_lost(sidecar: Sidecar, revision: str) -> Sidecar:
    """Whether the upload was taken must be looked for; that this run lived on is known."""
    unanswered = sidecar.submitting and sidecar.submitting.model_copy(update={"answer_lost": True})
    return sidecar.model_copy(update={"submitting": unanswered, "revision": revision})


def not_seen(sidecar: Sidecar, now: datetime, revision: str) -> Sidecar:
    """Neither task nor document answers to the file name; only a second look may conclude from that."""
    looked = sidecar.submitting and sidecar.submitting.model_copy(update={"missing_since": now})
    return sidecar.model_copy(update={"submitting": looked, "revision": revision})


def finish_archived(sidecar: Sidecar, document_id: int, surplus: Sequence[int], lease: Lease) -> Sidecar:
    return sidecar.model_copy(
        update={
            "state": State.FINISHING,
            "verdict": Verdict.ARCHIVED,
            "paperless_document_id": document_id,
            "surplus": tuple(surplus),
            "lease": lease,
            "revision": lease.nonce,
        }
    )


def finish_dead(sidecar: Sidecar, reason: str, lease: Lease, *, kept: bool = False) -> Sidecar:
    return sidecar.model_copy(
        update={
            "state": State.FINISHING,
            "verdict": Verdict.DEAD,
            "reason": reason,
            "kept": kept,
            "lease": lease,
            "revision": lease.nonce,
        }
    )


def renew(sidecar: Sidecar, lease: Lease) -> Sidecar:
    """Take over what another left half done, after its lease ran out."""
    return sidecar.model_copy(update={"lease": lease, "revision": lease.nonce})


def failed(sidecar: Sidecar, failure: Failure, revision: str) -> Sidecar:
    """An attempt ended without a document; it goes back into the queue, and is charged if it was its own fault."""
    return record(sidecar, failure).model_copy(
        update={"state": State.QUEUED, "task_id": None, "unresolved": 0, "lease": None, "revision": revision}
    )


def record(sidecar: Sidecar, failure: Failure) -> Sidecar:
    return sidecar.model_copy(
        update={
            "errors": (*sidecar.errors, failure)[-KEPT_ERRORS:],
            "last_error": failure.message,
            "retry_count": sidecar.retry_count + failure.charged,
        }
    )


def redriven(letter: Sidecar, redrive: Redrive, revision: str) -> Sidecar:
    """Queued anew from a dead letter; its history stays, and its attempts go on counting, for file names are unique."""
    return letter.model_copy(
        update={
            "state": State.QUEUED,
            "retry_count": 0,
            "last_error": None,
            "submissions": 0,
            "unresolved": 0,
            "task_id": None,
            "paperless_document_id": None,
            "verdict": None,
            "reason": None,
            "kept": False,
            "lease": None,
            "redrives": (*letter.redrives, redrive)[-KEPT_ERRORS:],
            "revision": revision,
        }
    )


def joined(live: Sidecar, letter: Sidecar, redrive: Redrive, revision: str) -> Sidecar:
    """The same bytes are queued already: what the letter knows and the queue does not is added to that."""
    together = with_history(live, letter)
    redrives = (*together.redrives, redrive)[-KEPT_ERRORS:]
    return together.model_copy(update={"redrives": redrives, "revision": revision})


def with_history(sidecar: Sidecar, older: Sidecar) -> Sidecar:
    """With every document, error and redrive of an older sidecar of the same bytes."""
    added = tuple(document for document in older.documents if not sidecar.holds(document.bilko_document_id))
    past = tuple(error for error in older.errors if error not in sidecar.errors)
    sent_back = tuple(redrive for redrive in older.redrives if redrive not in sidecar.redrives)
    return sidecar.model_copy(
        update={
            "documents": (*sidecar.documents, *added),
            "errors": (*past, *sidecar.errors)[-KEPT_ERRORS:],
            "redrives": (*sent_back, *sidecar.redrives)[-KEPT_ERRORS:],
        }
    )


def _file_name(sidecar: Sidecar, attempt: int) -> str:
    """Unique per object and attempt, and free of personal data: Paperless keeps file names in its task rows."""
    return f"{sidecar.organization_id.hex}-{sidecar.document_type}-{sidecar.sha256}-{attempt}.pdf"
