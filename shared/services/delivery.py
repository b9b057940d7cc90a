"""One document from the queue towards the archive: look, record the intent, submit once."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from shared.domain import transitions
from shared.domain.drain import Ending, Outcome
from shared.domain.errors import PreconditionFailed, Unavailable
from shared.domain.keys import KEPT_ROOT, ObjectKey
from shared.domain.paperless import Labels, Upload, field_values, title
from shared.domain.retry import (
    CHARGES_BEFORE_DEATH,
    CRASHES_BEFORE_DEATH,
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

ERASED = "erased"


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
    return _submit(run, held, labels)


def _recover(run: DrainRun, held: Held, labels: Labels, *, alone: bool) -> Outcome:
    """A run died, or an answer was lost, between the recorded intent and the task id. It waits for the end of the run:
    what kills a drain shall find nobody beside it, and the list of tasks is long.
    """
    sidecar = held.sidecar
    if not alone:
        return Outcome(sidecar.key, Ending.ALONE)
    task = run.task_named(sidecar.submitting.file_name) if sidecar.submitting else None
    if task is not None:
        held = run.sidecars.replace(held, transitions.submitted(sidecar, task.task_id, run.lease_to_follow()))
        return follow(run, held, labels)
    return not_seen(run, held) or _submit(run, held, labels)


def _submit(run: DrainRun, held: Held, labels: Labels) -> Outcome:
    """The intent is recorded before anything heavy or irrevocable is done."""
    sidecar = held.sidecar
    if sidecar.submissions >= SUBMISSIONS_BEFORE_ALERT:
        return Outcome(sidecar.key, Ending.LEFT, detail=sidecar.last_error or "", alert="submissions")
    if sidecar.crashes >= CRASHES_BEFORE_DEATH:
        return bury(run, held, "worker_crashed")
    if sidecar.last_error == ERASED and _erased(run, sidecar.key):
        return Outcome(sidecar.key, Ending.ERASED)
    lease, now = run.lease_to_submit(), run.now()
    held = run.change(held, lambda latest: transitions.start_submitting(latest, lease, now))
    try:
        pdf, erased = run.parts.queue.get(sidecar.key.pdf), _erased(run, sidecar.key)
    except Unavailable as exc:
        return _not_sent(run, held, str(exc))
    if erased:
        return replace(_not_sent(run, held, ERASED), ending=Ending.ERASED, error_class=None)
    if pdf is None:
        return _pdf_is_gone(run, held)
    if hashlib.sha256(pdf.body).hexdigest() != sidecar.sha256:
        return bury(run, held, "bytes_changed")
    return _post(run, held, labels, pdf.body)


def _erased(run: DrainRun, key: ObjectKey) -> bool:
    return any(run.parts.queue.stat(tombstone) is not None for tombstone in key.tombstones)


def _not_sent(run: DrainRun, held: Held, why: str) -> Outcome:
    """The intent is taken back, or it would pass for an attempt that nobody survived."""
    back(run, held, ErrorClass.OURS_DOWN, why, charged=False)
    return Outcome(held.sidecar.key, Ending.LEFT, ErrorClass.OURS_DOWN, why)


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
        return replace(_refused(run, held, exc), answered_at=run.now())
    except LeaseTooShort:
        return _not_sent(run, held, "the lease ran out before it was sent")
    at = run.now()
    # Whatever becomes of it later: Paperless took this upload, which speaks for its health.
    return replace(_taken(run, held, labels, task_id), accepted=True, answered_at=at)


def _taken(run: DrainRun, held: Held, labels: Labels, task_id: str) -> Outcome:
    try:
        lease = run.lease_to_follow()
        held = run.change(held, lambda sidecar: transitions.submitted(sidecar, task_id, lease))
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
    """A lost answer leaves the sidecar submitting, to be resolved by looking; any other sends it back."""
    key, error_class = held.sidecar.key, exc.error_class
    if error_class is ErrorClass.DOCUMENT:
        return charge(run, held, "refused", str(exc))
    try:
        _note(run, held, exc)
    except PreconditionFailed:
        return _one_too_many(held) if error_class is ErrorClass.AMBIGUOUS else Outcome(key, Ending.LEASED)
    return Outcome(key, Ending.RETRY, error_class, str(exc), uploading=True)


def _note(run: DrainRun, held: Held, exc: PaperlessError) -> None:
    if exc.error_class is not ErrorClass.AMBIGUOUS:
        back(run, held, exc.error_class, str(exc), charged=False)
        return
    revision = run.parts.nonce()
    run.change(held, lambda sidecar: transitions.answer_lost(sidecar, revision))


def _pdf_is_gone(run: DrainRun, held: Held) -> Outcome:
    """The archive was asked already; if the dead letters have the bytes, an operator brings them back together."""
    key = held.sidecar.key
    if not any(run.parts.dead_letters.stat(root + key.pdf) for root in ("", KEPT_ROOT)):
        return bury(run, held, "pdf_missing")
    back(run, held, ErrorClass.OURS_DOWN, "its PDF is in the dead letters", charged=False)
    return Outcome(key, Ending.LEFT, detail="its PDF is in the dead letters", alert="pdf_missing")
