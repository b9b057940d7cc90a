"""How an attempt ends: archived, dead, or back in the queue, each a single conditional write before anything else."""

from __future__ import annotations

from shared.domain import transitions
from shared.domain.drain import Ending, Outcome
from shared.domain.errors import Unavailable
from shared.domain.retry import CHARGES_BEFORE_DEATH, ErrorClass
from shared.domain.sidecar import Failure, Sidecar, Verdict
from shared.observability.logs import Log
from shared.services.drain_run import DrainRun
from shared.services.finishing import finish, report_of
from shared.services.sidecars import Held
from shared.services.verification import Findings

log = Log(__name__)


def archived(run: DrainRun, held: Held, found: Findings) -> Outcome:
    lease = run.lease_to_finish()
    return finished(
        run,
        run.change(held, lambda sidecar: transitions.finish_archived(sidecar, found.winner or 0, found.surplus, lease)),
    )


def bury(run: DrainRun, held: Held, reason: str, why: str = "", *, kept: bool = False) -> Outcome:
    """To the dead letters; its error history says why, in the same write that freezes it."""
    failure = _failure(run, ErrorClass.DOCUMENT, why or reason, charged=bool(why))
    lease = run.lease_to_finish()

    def freeze(sidecar: Sidecar) -> Sidecar:
        return transitions.finish_dead(transitions.record(sidecar, failure), reason, lease, kept=kept)

    return finished(run, run.change(held, freeze))


def finished(run: DrainRun, held: Held) -> Outcome:
    finish(run, held)
    ending = Ending.ARCHIVED if held.sidecar.verdict is Verdict.ARCHIVED else Ending.DEAD
    submitted_at = held.sidecar.submitting.at if held.sidecar.submitting else None
    return Outcome(
        held.sidecar.key,
        ending,
        detail=held.sidecar.reason or "",
        task_submitted_at=submitted_at,
        surplus=len(held.sidecar.surplus),
    )


def charge(run: DrainRun, held: Held, reason: str, why: str) -> Outcome:
    """Its own fault: the third time is the last."""
    if held.sidecar.retry_count + 1 >= CHARGES_BEFORE_DEATH:
        return bury(run, held, reason, why)
    changed = back(run, held, ErrorClass.DOCUMENT, why, charged=True).sidecar
    _tell(run, changed)
    return Outcome(changed.key, Ending.RETRY, ErrorClass.DOCUMENT, why)


def lost(run: DrainRun, held: Held, why: str) -> Outcome:
    """Paperless's fault: sent again next run, and never held against the document."""
    back(run, held, ErrorClass.LOST, why, charged=False)
    return Outcome(held.sidecar.key, Ending.RETRY, ErrorClass.LOST, why)


def back(run: DrainRun, held: Held, error_class: ErrorClass, why: str, *, charged: bool) -> Held:
    failure = _failure(run, error_class, why, charged=charged)
    revision = run.parts.nonce()
    return run.change(held, lambda sidecar: transitions.failed(sidecar, failure, revision))


def _failure(run: DrainRun, error_class: ErrorClass, why: str, *, charged: bool) -> Failure:
    return Failure(at=run.now(), kind=error_class, message=why[:500], charged=charged)


def _tell(run: DrainRun, sidecar: Sidecar) -> None:
    """The row's retry count is for people to see; the sidecar is what counts."""
    try:
        run.parts.audit.record(report_of(run, sidecar))
    except Unavailable as exc:
        log.warning("archive.audit_unavailable", r2Key=sidecar.key.pdf, error=str(exc))
