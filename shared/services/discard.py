"""A letter thrown away on an operator's word: recorded first, refused under a legal hold."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from shared.domain.audit import Disposition, Event
from shared.domain.errors import Conflict, Locked, NotFound
from shared.domain.keys import ObjectKey
from shared.domain.redrive import Discarded, DiscardRequest
from shared.observability import metrics
from shared.observability.logs import Log
from shared.services.letters import (
    Found,
    Letter,
    LetterParts,
    find,
    frozen,
    insist,
    not_being_buried,
    pdf_root,
    remove,
    report_of,
)

log = Log(__name__)


def discard(parts: LetterParts, identifier: str, request: DiscardRequest) -> Discarded:
    """Its rows say discarded, and why, before anything is deleted."""
    key = ObjectKey.from_job_id(identifier)
    found = Found() if key is None else find(parts, key)
    if key is None or not _there(parts, key, found):
        raise NotFound("no letter of this id lies here")
    _refuse_held(parts, key, found)
    details = {"documentType": key.document_type}
    parts.audit.operator_event(Event(key.organization_id, "dead_letter.discard", request.actor, key.job_id, details))
    owner = parts.nonce()
    for letter in found.readable:
        _throw_away(parts, letter, request, owner)
    metrics.count("archive_discards_total", document_type=key.document_type)
    log.event("dead_letter.discarded", r2Key=key.pdf, organizationId=str(key.organization_id))
    return Discarded(id=identifier, documents=len(_documents(found)))


def _there(parts: LetterParts, key: ObjectKey, found: Found) -> bool:
    """What nobody can read is not thrown away: nobody knows what it stands for."""
    if found.problems:
        raise Conflict(f"Its sidecar cannot be read ({found.problems[0].reason}), so it is not deleted from here.")
    if not found.readable and pdf_root(parts, key) is not None:
        raise Conflict("A PDF without a sidecar is not deleted from here: it may just be arriving.")
    return bool(found.readable)


def _refuse_held(parts: LetterParts, key: ObjectKey, found: Found) -> None:
    documents = _documents(found)
    held = [str(hold.id) for hold in parts.audit.holds(key.organization_id) if hold.covers(documents)]
    if held:
        raise Locked(f"A legal hold forbids this: {', '.join(held)}")


def _documents(found: Found) -> set[UUID]:
    return {each.bilko_document_id for letter in found.readable for each in letter.sidecar.documents}


def _throw_away(parts: LetterParts, letter: Letter, request: DiscardRequest, owner: str) -> None:
    with frozen(parts, letter, owner) as mine:
        not_being_buried(parts, mine.key)
        insist(parts, mine)
        report = report_of(mine.sidecar, Disposition.DISCARDED)
        # Tenants see a row's reason, so the operator's own words stand where only operators look.
        parts.audit.record(replace(report, reason="discarded", last_error=f"discarded: {request.reason}"))
        remove(parts, mine)
