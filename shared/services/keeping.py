"""Letters near their end: kept if they are held or have no other copy, else recorded before the bucket's rule acts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from shared.domain import transitions
from shared.domain.audit import Disposition
from shared.domain.dead_letters import KEPT_UNASKED_AFTER, SETTLED_AFTER, Standing
from shared.domain.errors import ArchivoltError, NotFound, PreconditionFailed, Unavailable
from shared.domain.keys import KEPT_ROOT, ObjectKey
from shared.domain.sidecar import Sidecar, UnreadableSidecar
from shared.observability import metrics
from shared.observability.logs import Log
from shared.services.letter_listing import Lying
from shared.services.letters import Letter, LetterParts, frozen, insist, not_being_buried, remove, report_of
from shared.services.sidecars import CONTENT_TYPE, Sidecars, patiently

log = Log(__name__)


@dataclass(slots=True)
class Settled:
    """What one watch did about the old ones."""

    kept: int = 0
    expired: int = 0
    postponed: int = 0
    moved: list[ObjectKey] = field(default_factory=list, compare=False)
    """Those kept, which look newly dead where they lie now."""


def due(lying: Lying, now: datetime) -> bool:
    """Whether the part of it that the rule would take is old enough to be settled."""
    return any(place.root == "" and now - place.since >= SETTLED_AFTER for place in lying.places)


def settle(parts: LetterParts, letters: list[Lying], owner: str) -> Settled:
    done, standings = Settled(), _ask(parts, letters)
    for lying in letters:
        try:
            _settle_one(parts, lying, standings.get(lying.key), owner, done)
        except ArchivoltError as exc:
            done.postponed += 1
            log.warning("dead_letter.postponed", r2Key=lying.key.pdf, detail=exc.message)
    return done


def _ask(parts: LetterParts, letters: list[Lying]) -> dict[ObjectKey, Standing]:
    """Nothing while audit-callback is away."""
    try:
        return {each.key: each for each in parts.audit.standings([lying.key for lying in letters])} if letters else {}
    except Unavailable as exc:
        log.warning("archive.audit_unavailable", error=str(exc))
        return {}


def _settle_one(parts: LetterParts, lying: Lying, standing: Standing | None, owner: str, done: Settled) -> None:
    if standing is None:
        oldest = min(place.since for place in lying.places if place.root == "")
        if parts.clock.now() - oldest < KEPT_UNASKED_AFTER:
            raise Unavailable("whether it may go could not be asked")
        _keep(parts, lying.key, owner, done, tell=False)
    elif standing.documents and not standing.pending:
        return  # all of it is archived, queued again, or gone on purpose: the letter stands for nothing
    elif not _may_go(standing) or not _expired(parts, lying.key, standing, done):
        _keep(parts, lying.key, owner, done, tell=True)


def _may_go(standing: Standing) -> bool:
    return standing.source_confirmed and not standing.holds


def _expired(parts: LetterParts, key: ObjectKey, standing: Standing, done: Settled) -> bool:
    """False if the letter stands for a document that no row tells of."""
    if Disposition.DEAD not in standing.documents.values():
        return True  # by an earlier watch
    try:
        held = Sidecars(parts.dead_letters, parts.clock).read(key)
    except UnreadableSidecar:
        return False
    if held is None or any(each.bilko_document_id not in standing.documents for each in held.sidecar.documents):
        return False
    parts.audit.record(replace(report_of(held.sidecar, Disposition.EXPIRED), reason="expired"))
    metrics.count("archive_dlq_expired_total", document_type=key.document_type)
    log.event("dead_letter.expired", r2Key=key.pdf, organizationId=str(key.organization_id))
    done.expired += 1
    return True


def _keep(parts: LetterParts, key: ObjectKey, owner: str, done: Settled, *, tell: bool) -> None:
    """To `kept/`, which no rule touches."""
    try:
        held = Sidecars(parts.dead_letters, parts.clock).read(key)
    except UnreadableSidecar:
        _keep_as_it_is(parts, key)
    else:
        if held is None:
            _keep_lone_pdf(parts, key)
        else:
            _keep_letter(parts, Letter("", held), owner, tell=tell)
    metrics.count("archive_dlq_kept_total", document_type=key.document_type)
    log.event("dead_letter.kept", r2Key=key.pdf, organizationId=str(key.organization_id))
    done.kept += 1
    done.moved.append(key)


def _keep_letter(parts: LetterParts, letter: Letter, owner: str, *, tell: bool) -> None:
    with frozen(parts, letter, owner) as mine:
        not_being_buried(parts, mine.key)
        _copy_pdf(parts, mine.key)
        _merge_kept(parts, mine.sidecar)
        insist(parts, mine)
        if tell:
            # A row that was recorded as expired before the hold came is dead again.
            parts.audit.record(report_of(mine.sidecar, Disposition.DEAD))
        remove(parts, mine)


def _merge_kept(parts: LetterParts, letter: Sidecar) -> None:
    sidecars = Sidecars(parts.dead_letters, parts.clock, KEPT_ROOT)
    kept = letter.model_copy(update={"kept": True, "lease": None, "revision": parts.nonce()})
    try:
        sidecars.create(kept)
    except PreconditionFailed:
        there = sidecars.read(letter.key)
        if there is None:
            raise Unavailable("a kept letter changed while it was written") from None
        sidecars.replace(there, transitions.with_history(kept, there.sidecar))


def _keep_as_it_is(parts: LetterParts, key: ObjectKey) -> None:
    """Byte for byte: nobody knows what it says, so nobody may change it."""
    store = parts.dead_letters
    raw = store.get(key.sidecar)
    _copy_pdf(parts, key)
    if raw is not None:
        with suppress(PreconditionFailed):
            store.create(KEPT_ROOT + key.sidecar, raw.body, CONTENT_TYPE)
        there = store.get(KEPT_ROOT + key.sidecar)
        if there is None or there.body != raw.body:
            raise Unavailable("another kept letter of this name must be dealt with first")
    store.delete(key.pdf)
    store.delete(key.sidecar)


def _keep_lone_pdf(parts: LetterParts, key: ObjectKey) -> None:
    if parts.queue.stat(key.sidecar) is not None:
        raise Unavailable("the drain is not done with it")
    _copy_pdf(parts, key)
    parts.dead_letters.delete(key.pdf)


def _copy_pdf(parts: LetterParts, key: ObjectKey) -> None:
    store = parts.dead_letters
    with suppress(NotFound):
        patiently(parts.clock, lambda: store.copy(store.bucket, key.pdf, KEPT_ROOT + key.pdf))
