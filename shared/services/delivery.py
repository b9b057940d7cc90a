"""One document from the queue towards the archive: look, record the intent, submit once."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from shared.domain import transitions
from shared.domain.drain import Ending, Outcome
from shared.domain.errors import PreconditionFailed, Unavailable
from shared.domain.keys import ObjectKey
from shared.domain.paperless import Labels, Upload, field_values, title
from shared.domain.retry import (
    CHARGES_BEFORE_DEATH,
    CRASHES_BEFORE_DEATH,
    CRASHES_BEFORE_SOLITUDE,
    SUBMISSIONS_BEFORE_ALERT,
    ErrorClass,
    PaperlessError,
    backoff,
)
from shared.domain.sidecar import Sidecar, State, UnreadableSidecar
from shared.services import orphans
from shared.services.drain_run import DrainRun, LeaseTooShort
from shared.services.feed import Candidate
from shared.services.finishing import bury_unreadable, take_over
from shared.services.following import follow, not_seen
from shared.services.sidecars import Held
from shared.services.verdicts import archived, back, bury, charge, finished
from shared.services.verification import look_up


def deliver(run: DrainRun, candidate: Candidate, *, alone: bool = False) -> Outcome:
    """Never raises for a document's sake: whatever happens becomes an outcome."""
    key = candidate.key
    try:
        if candidate.orphan:
            return orphans.sweep(run, candidate)
        held = run.sidecars.read(key)
        return orphans.forget_marker(run, candidate) if held is None else _advance(run, held, alone=alone)
    except UnreadableSidecar as exc:
        return _unreadable(run, key, exc)
    except PreconditionFailed:
        return Outcome(key, Ending.LEASED, detail="somebody else was quicker")
    except LeaseTooShort:
        return Outcome(key, Ending.LEFT, ErrorClass.OURS_DOWN, "the lease ran out")
    except PaperlessError as exc:
        return Outcome(key, Ending.LEFT, exc.error_class, str(exc))
    except Unavailable as exc:
        return Outcome(key, Ending.LEFT, ErrorClass.OURS_DOWN, str(exc))


def charge_suspect(run: DrainRun, key: ObjectKey, why: str) -> Outcome:
    """Its upload was refused while a later one was accepted: so it was its own fault after all."""
    try:
        held = run.sidecars.read(key)
        if held is None or held.sidecar.state is not State.QUEUED or held.sidecar.last_error != why[:500]:
            return Outcome(key, Ending.LEASED, detail="somebody else was quicker")
        return charge(run, held, "refused", why)
    except (PreconditionFailed, LeaseTooShort, UnreadableSidecar, Unavailable) as exc:
        return Outcome(key, Ending.LEFT, ErrorClass.OURS_DOWN, str(exc))


def _unreadable(run: DrainRun, key: ObjectKey, problem: UnreadableSidecar) -> Outcome:
    try:
        bury_unreadable(run, key, problem)
    except Unavailable as exc:
        return Outcome(key, Ending.LEFT, ErrorClass.OURS_DOWN, f"{problem.reason}: {exc}", alert=problem.reason)
    return Outcome(key, Ending.DEAD, detail=problem.reason)


def _advance(run: DrainRun, held: Held, *, alone: bool) -> Outcome:
    sidecar = held.sidecar
    if sidecar.leased_to_another(run.owner, run.now()):
        return Outcome(sidecar.key, Ending.LEASED)
    if sidecar.state is State.FINISHING:
        return finished(run, take_over(run, held))
    if sidecar.retry_count >= CHARGES_BEFORE_DEATH:
        return bury(run, held, "not_accepted")
    labels = run.book.labels(sidecar.key)
    if sidecar.state is State.SUBMITTED:
        return follow(run, held, labels)
    found = look_up(run, sidecar, labels, ours=sidecar.state is State.SUBMITTING)
    if found.winner is not None:
        return archived(run, held, found)
    if sidecar.state is State.SUBMITTING:
        return _recover(run, held, labels, alone=alone)
    return _submit(run, held, labels, alone=alone)


def _recover(run: DrainRun, held: Held, labels: Labels, *, alone: bool) -> Outcome:
    """A run died, or an answer was lost, between the recorded intent and the task id."""
    sidecar = held.sidecar
    if not alone:
        return Outcome(sidecar.key, Ending.ALONE)
    task = run.task_named(sidecar.submitting.file_name) if sidecar.submitting else None
    if task is not None:
        held = run.sidecars.replace(held, transitions.submitted(sidecar, task.task_id, run.lease_to_follow()))
        return follow(run, held, labels)
    return not_seen(run, held) or _submit(run, held, labels, alone=True)


def _submit(run: DrainRun, held: Held, labels: Labels, *, alone: bool) -> Outcome:
    """The intent is recorded before anything heavy or irrevocable is done."""
    sidecar = held.sidecar
    if sidecar.submissions >= SUBMISSIONS_BEFORE_ALERT:
        return Outcome(sidecar.key, Ending.LEFT, detail=sidecar.last_error or "", alert="submissions")
    if sidecar.unresolved >= CRASHES_BEFORE_DEATH:
        return bury(run, held, "worker_crashed")
    if sidecar.unresolved >= CRASHES_BEFORE_SOLITUDE and not alone:
        return Outcome(sidecar.key, Ending.ALONE)
    held = run.sidecars.replace(held, transitions.start_submitting(sidecar, run.lease_to_submit(), run.now()))
    pdf = run.parts.queue.get(sidecar.key.pdf)
    if pdf is None:
        return _pdf_is_gone(run, held)
    if hashlib.sha256(pdf.body).hexdigest() != sidecar.sha256:
        return bury(run, held, "bytes_changed")
    if any(run.parts.queue.stat(tombstone) is not None for tombstone in sidecar.key.tombstones):
        return Outcome(sidecar.key, Ending.ERASED)
    return _post(run, held, labels, pdf.body)


def _post(run: DrainRun, held: Held, labels: Labels, content: bytes) -> Outcome:
    sidecar = held.sidecar
    upload = Upload(
        file_name=sidecar.submitting.file_name if sidecar.submitting else "",
        content=content,
        title=title(sidecar),
        created=sidecar.timestamp.date(),
        labels=labels,
        fields=field_values(sidecar, labels.fields),
    )
    try:
        task_id = _upload(run, sidecar, upload)
    except PaperlessError as exc:
        return _refused(run, held, exc)
    # Whatever becomes of it later: Paperless took this upload, which speaks for its health.
    return replace(_taken(run, held, labels, task_id), accepted=True)


def _taken(run: DrainRun, held: Held, labels: Labels, task_id: str) -> Outcome:
    try:
        held = run.sidecars.replace(held, transitions.submitted(held.sidecar, task_id, run.lease_to_follow()))
        return follow(run, held, labels)
    except PaperlessError as exc:
        return Outcome(held.sidecar.key, Ending.WAITING, exc.error_class, str(exc))
    except PreconditionFailed:
        return _one_too_many(held)
    except (LeaseTooShort, Unavailable) as exc:
        return Outcome(held.sidecar.key, Ending.LEFT, ErrorClass.OURS_DOWN, str(exc))


def _one_too_many(held: Held) -> Outcome:
    """We slept past our lease and others went on without us: what we sent is a further copy, or will be one."""
    return Outcome(held.sidecar.key, Ending.LEFT, detail="sent after the lease had passed", alert="surplus", surplus=1)


def _upload(run: DrainRun, sidecar: Sidecar, upload: Upload) -> str:
    """A 429 means nothing was taken, so it alone is tried again at once."""
    attempt = 0
    while True:
        run.insist(sidecar, run.options.upload_timeout)
        try:
            return run.parts.archive.upload(upload)
        except PaperlessError as exc:
            pause = backoff(attempt, exc.fault.retry_after)
            if exc.error_class is not ErrorClass.THROTTLED or pause is None:
                raise
            attempt += 1
            run.parts.clock.sleep(pause)


def _refused(run: DrainRun, held: Held, exc: PaperlessError) -> Outcome:
    """A lost answer leaves the sidecar as it is, to be resolved by looking; any other sends it back."""
    key, error_class = held.sidecar.key, exc.error_class
    if error_class is ErrorClass.DOCUMENT:
        return charge(run, held, "refused", str(exc))
    if error_class is not ErrorClass.AMBIGUOUS:
        back(run, held, error_class, str(exc), charged=False)
    elif not _still_ours(run, held):
        return _one_too_many(held)
    return Outcome(key, Ending.RETRY, error_class, str(exc), uploading=True)


def _still_ours(run: DrainRun, held: Held) -> bool:
    found = run.sidecars.read(held.sidecar.key)
    return found is not None and found.sidecar.lease == held.sidecar.lease


def _pdf_is_gone(run: DrainRun, held: Held) -> Outcome:
    """The archive was asked already; if the dead letters have the bytes, an operator brings them back together."""
    key = held.sidecar.key
    if run.parts.dead_letters.stat(key.pdf) is None:
        return bury(run, held, "pdf_missing")
    back(run, held, ErrorClass.OURS_DOWN, "its PDF is in the dead letters", charged=False)
    return Outcome(key, Ending.LEFT, detail="its PDF is in the dead letters", alert="pdf_missing")
