"""Objects that lost their other half: a PDF whose sidecar was never written, a marker whose document is gone."""

from __future__ import annotations

from datetime import timedelta

from shared.domain.drain import Ending, Outcome
from shared.domain.sidecar import Sidecar, State, Verdict
from shared.services.drain_run import DrainRun
from shared.services.feed import Candidate
from shared.services.verdicts import finished


def sweep(run: DrainRun, candidate: Candidate) -> Outcome:
    """Past a grace period a lone PDF goes to the dead letters. Creating a frozen sidecar claims the key, so that
    archive-write, which would make one of its own, waits instead of losing its PDF to our delete.
    """
    key = candidate.key
    if not _old(run, candidate):
        return Outcome(key, Ending.GONE, detail="being written")
    info = run.parts.queue.stat(key.pdf)
    if info is None:
        return Outcome(key, Ending.GONE)
    lease = run.lease_to_finish()
    claim = Sidecar(
        r2_uuid=key.sha256,
        organization_id=key.organization_id,
        organization_name="",
        document_type=key.document_type,
        bilko_document_id=None,
        timestamp=info.updated,
        sha256=key.sha256,
        documents=(),
        size=info.size,
        md5="",
        state=State.FINISHING,
        verdict=Verdict.DEAD,
        reason="orphan_pdf",
        lease=lease,
        revision=lease.nonce,
    )
    return finished(run, run.sidecars.create(claim))


def forget_marker(run: DrainRun, candidate: Candidate) -> Outcome:
    """The marker is written before its sidecar, so a young one without is no reason to worry."""
    if candidate.marker and _old(run, candidate):
        run.parts.queue.delete(candidate.key.priority_marker)
    return Outcome(candidate.key, Ending.GONE)


def _old(run: DrainRun, candidate: Candidate) -> bool:
    return run.now() - candidate.seen > timedelta(seconds=run.options.orphan_grace_seconds)
