"""After Paperless has taken an upload: poll its task, verify what it became, and judge a failure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from shared.domain import transitions
from shared.domain.drain import Ending, Outcome
from shared.domain.paperless import Labels, Task, TaskStatus
from shared.domain.retry import ErrorClass, classify_task
from shared.domain.sidecar import Sidecar
from shared.services.drain_run import DrainRun
from shared.services.sidecars import Held
from shared.services.verdicts import archived, back, bury, charge, lost
from shared.services.verification import look_up

FIRST_POLL, LONGEST_POLL = 0.05, 1.0
ENDED = (Ending.ARCHIVED, Ending.DEAD, Ending.RETRY)


def follow(run: DrainRun, held: Held, labels: Labels) -> Outcome:
    """Poll until the task is final, for as long as it may keep its slot."""
    sidecar, pause = held.sidecar, FIRST_POLL
    while True:
        task = run.parts.archive.task(sidecar.task_id or "")
        if task is None or task.status.final:
            outcome = _conclude(run, held, labels, task)
            return outcome if task is None or outcome.ending not in ENDED else replace(outcome, task_row=task.row_id)
        if run.now() >= _slot_ends(run, sidecar):
            return _overdue(run, held, labels, task)
        run.parts.clock.sleep(pause)
        pause = min(2 * pause, LONGEST_POLL)


def settled(run: DrainRun, sidecar: Sidecar) -> bool:
    """Whether "not there" may count by now."""
    if sidecar.submitting is None:
        return True
    since = sidecar.submitting.missing_since or sidecar.submitting.at
    return run.now() - since >= timedelta(seconds=run.options.settle_seconds)


def not_seen(run: DrainRun, held: Held) -> Outcome | None:
    """Neither task nor document is there: None once that was seen twice, a minute after the upload and apart."""
    sidecar = held.sidecar
    if not settled(run, sidecar):
        return Outcome(sidecar.key, Ending.WAITING, ErrorClass.AMBIGUOUS, "too early to tell")
    if sidecar.submitting and sidecar.submitting.missing_since is None:
        run.sidecars.replace(held, transitions.not_seen(sidecar, run.now(), run.parts.nonce()))
        return Outcome(sidecar.key, Ending.WAITING, ErrorClass.AMBIGUOUS, "not seen; looking once more next time")
    return None


def _conclude(run: DrainRun, held: Held, labels: Labels, task: Task | None) -> Outcome:
    """Success is only what the archive shows afterwards; a missing task proves nothing either way."""
    if task is not None and task.status is TaskStatus.FAILURE:
        return _task_failed(run, held, labels, task)
    found = look_up(run, held.sidecar, labels, ours=True)
    if found.winner is not None:
        return archived(run, held, found)
    if found.mismatches:
        detail = f"the archive's copy differs in {', '.join(sorted(set(found.mismatches)))}"
        return Outcome(held.sidecar.key, Ending.LEFT, detail=detail, alert="verification")
    waiting = not_seen(run, held) if task is None else None
    return waiting or lost(run, held, "neither task nor document is there")


def _task_failed(run: DrainRun, held: Held, labels: Labels, task: Task) -> Outcome:
    """2.x first writes a traceback and puts the reason in its place a moment later, so it is read once more."""
    run.parts.clock.sleep(LONGEST_POLL)
    result = (run.parts.archive.task(task.task_id) or task).result
    found = look_up(run, held.sidecar, labels, ours=False)
    if found.winner is not None:
        return archived(run, held, found)
    return _judge(run, held, result)


def _judge(run: DrainRun, held: Held, result: str) -> Outcome:
    error_class = classify_task(result)
    if error_class is ErrorClass.DUPLICATE:
        return bury(run, held, "refused_twin", result, kept=True)
    if error_class is ErrorClass.LOST:
        return lost(run, held, result)
    if error_class is ErrorClass.DOCUMENT:
        return charge(run, held, "not_accepted", result)
    back(run, held, error_class, result, charged=False)
    return Outcome(held.sidecar.key, Ending.RETRY, error_class, result)


def _overdue(run: DrainRun, held: Held, labels: Labels, task: Task) -> Outcome:
    """Its slot is free for others. Lost only if a later one of ours was finished meanwhile."""
    if not _passed_over(run, held.sidecar, task):
        return Outcome(held.sidecar.key, Ending.WAITING, detail=f"the task is {task.status}")
    found = look_up(run, held.sidecar, labels, ours=True)
    if found.winner is not None:
        return archived(run, held, found)
    return lost(run, held, f"the task stayed {task.status} while later ones were done")


def _slot_ends(run: DrainRun, sidecar: Sidecar) -> datetime:
    submitted_at = sidecar.submitting.at if sidecar.submitting else run.now()
    return min(run.deadline, submitted_at + timedelta(seconds=run.options.slot_seconds))


def _passed_over(run: DrainRun, sidecar: Sidecar, task: Task) -> bool:
    if sidecar.submitting is None or run.latest_final is None or run.latest_final <= sidecar.submitting.at:
        return False
    waiting = task.status is TaskStatus.PENDING
    patience = run.options.slot_seconds if waiting else run.options.started_for_ever_seconds
    return run.now() - sidecar.submitting.at >= timedelta(seconds=patience)
