"""The last steps of a document in the queue: told, then deleted, truth last."""

from __future__ import annotations

from contextlib import suppress

from shared.domain import transitions
from shared.domain.audit import ArchiveReport, Disposition, ReportedDocument
from shared.domain.errors import NotFound, PreconditionFailed, Unavailable
from shared.domain.keys import KEPT_ROOT, ObjectKey
from shared.domain.sidecar import Priority, Sidecar, State, UnreadableSidecar, Verdict
from shared.observability import metrics
from shared.observability.logs import Log
from shared.ports import ObjectStore
from shared.services.drain_run import SHORT_CALL, DrainRun
from shared.services.sidecars import CONTENT_TYPE, Held, Sidecars

log = Log(__name__)


def finish(run: DrainRun, held: Held) -> None:
    """Carry out the verdict of a frozen sidecar whose lease is ours; every step may be repeated."""
    sidecar = held.sidecar
    if sidecar.verdict is Verdict.DEAD:
        _copy_to_dead_letters(run, sidecar)
    run.parts.audit.record(report_of(run, sidecar))
    run.insist(sidecar, 3 * SHORT_CALL)
    queue = run.parts.queue
    queue.delete(sidecar.key.pdf)
    queue.delete(sidecar.key.sidecar)
    if sidecar.priority is Priority.HIGH:
        queue.delete(sidecar.key.priority_marker)
    _announce(run, sidecar)


def take_over(run: DrainRun, held: Held) -> Held:
    """Another run froze this and died; its lease is over, so it becomes ours."""
    return run.sidecars.replace(held, transitions.renew(held.sidecar, run.lease_to_finish()))


def report_of(run: DrainRun, sidecar: Sidecar) -> ArchiveReport:
    archived = sidecar.verdict is Verdict.ARCHIVED
    document_id = sidecar.paperless_document_id if archived else None
    return ArchiveReport(
        key=sidecar.key,
        organization_name=sidecar.organization_name,
        disposition=_disposition(sidecar),
        documents=tuple(
            ReportedDocument(document.bilko_document_id, document.timestamp, document.trace_id)
            for document in sidecar.documents
        ),
        retry_count=sidecar.retry_count,
        last_error=sidecar.last_error,
        reason=sidecar.reason,
        paperless_document_id=document_id,
        paperless_url=None if document_id is None else run.parts.archive.document_url(document_id),
        surplus=sidecar.surplus,
    )


def _disposition(sidecar: Sidecar) -> Disposition:
    if sidecar.state is not State.FINISHING:
        return Disposition.QUEUED
    return Disposition.ARCHIVED if sidecar.verdict is Verdict.ARCHIVED else Disposition.DEAD


def _copy_to_dead_letters(run: DrainRun, sidecar: Sidecar) -> None:
    """The PDF first, then the sidecar, so that a letter with a sidecar is always whole."""
    root, dead = KEPT_ROOT if sidecar.kept else "", run.parts.dead_letters
    _let_movers_finish(run, sidecar.key)
    try:
        dead.copy(run.parts.queue.bucket, sidecar.key.pdf, root + sidecar.key.pdf)
    except NotFound:
        # Either its PDF never was, or a run before us came as far as deleting it.
        log.warning("archive.dead_letter_without_pdf", r2Key=sidecar.key.pdf)
    _merge_letter(dead, root + sidecar.key.sidecar, sidecar)


def _let_movers_finish(run: DrainRun, key: ObjectKey) -> None:
    """Looked at after our own freeze: an operator's act on an older letter of these bytes ends in plain deletes."""
    for root in ("", KEPT_ROOT):
        try:
            held = Sidecars(run.parts.dead_letters, run.parts.clock, root).read(key)
        except UnreadableSidecar:
            continue
        if held is not None and held.sidecar.leased_to_another(run.owner, run.now()):
            raise Unavailable("a dead letter of the same bytes is just being moved")


def _merge_letter(dead: ObjectStore, name: str, sidecar: Sidecar) -> None:
    letter = sidecar.model_copy(update={"lease": None})
    try:
        dead.create(name, letter.to_json(), CONTENT_TYPE)
    except PreconditionFailed:
        found = dead.get(name)
        if found is None:
            raise Unavailable("a dead letter changed while it was written") from None
        merged = merge(found.body, letter)
        dead.replace(name, merged.to_json(), CONTENT_TYPE, found.info.version)


def merge(existing: bytes, letter: Sidecar) -> Sidecar:
    """Two letters of the same bytes: every document and every error of both."""
    try:
        old = Sidecar.parse(existing, letter.key)
    except UnreadableSidecar as exc:
        # Nothing here deletes what it cannot read.
        raise Unavailable("another dead letter of this name must be dealt with first") from exc
    if not letter.documents:
        # The claim on a lone PDF knows less than the letter that was there.
        return transitions.with_history(old, letter).model_copy(update={"lease": None, "revision": letter.revision})
    return transitions.with_history(letter, old)


def bury_unreadable(run: DrainRun, key: ObjectKey, problem: UnreadableSidecar) -> None:
    """A sidecar nobody can read is moved as it is; archive-write never changes such a one, so nothing races."""
    queue, dead = run.parts.queue, run.parts.dead_letters
    found = queue.get(key.sidecar)
    if found is None:
        return
    _let_movers_finish(run, key)
    with suppress(NotFound):
        dead.copy(queue.bucket, key.pdf, key.pdf)
    _create_or_same(dead, key.sidecar, found.body)
    run.parts.audit.record(
        ArchiveReport(key, "", Disposition.DEAD, documents=(), last_error=str(problem), reason=problem.reason)
    )
    queue.delete(key.pdf)
    queue.delete(key.sidecar)
    metrics.count("archive_jobs_failed_total", document_type=key.document_type, error_class=problem.reason)
    log.error("archive.dead_letter", r2Key=key.pdf, organizationId=str(key.organization_id), reason=problem.reason)


def _create_or_same(dead: ObjectStore, name: str, body: bytes) -> None:
    try:
        dead.create(name, body, CONTENT_TYPE)
    except PreconditionFailed:
        found = dead.get(name)
        if found is None or found.body != body:
            raise Unavailable("another dead letter of this name must be dealt with first") from None


def _announce(run: DrainRun, sidecar: Sidecar) -> None:
    fields = {
        "r2Key": sidecar.key.pdf,
        "organizationId": str(sidecar.organization_id),
        "documentId": str(sidecar.bilko_document_id),
        "retryCount": sidecar.retry_count,
        "traceIds": [document.trace_id for document in sidecar.documents if document.trace_id],
    }
    if sidecar.verdict is Verdict.DEAD:
        error_class = sidecar.reason or "unknown"
        metrics.count("archive_jobs_failed_total", document_type=sidecar.document_type, error_class=error_class)
        log.error("archive.dead_letter", reason=sidecar.reason, lastError=sidecar.last_error, **fields)
        return
    latency = (run.now() - sidecar.timestamp).total_seconds()
    metrics.count("archive_jobs_processed_total", document_type=sidecar.document_type)
    metrics.observe("archive_e2e_latency_seconds", latency, document_type=sidecar.document_type)
    log.event("archive.archived", paperlessDocId=sidecar.paperless_document_id, **fields)
    if sidecar.surplus:
        metrics.count("archive_surplus_copies_total", len(sidecar.surplus), document_type=sidecar.document_type)
        log.warning("archive.surplus", surplus=list(sidecar.surplus), **fields)
