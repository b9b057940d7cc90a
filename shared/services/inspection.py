"""One dead letter in full: what it says, what was said of it, where its documents are now, and what to try."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import JsonValue

from shared.domain.audit import Disposition
from shared.domain.dead_letter_answers import Download, Inspection, LetterDocument, LyingLetter, Twin
from shared.domain.dead_letter_reasons import Meaning, meaning_of, twin_of
from shared.domain.dead_letters import TAKEN_AFTER, Standing
from shared.domain.errors import NotFound, Unavailable
from shared.domain.keys import KEPT_ROOT, ObjectKey
from shared.domain.sidecar import Sidecar, UnreadableSidecar
from shared.observability.logs import Log
from shared.services import letter_listing
from shared.services.letter_listing import Lying
from shared.services.letters import LetterParts, pdf_root
from shared.services.sidecars import Sidecars

log = Log(__name__)

LIFETIME = timedelta(minutes=10)
SHOWN_OF_RAW = 20_000
LONE_PDF = UnreadableSidecar("orphan_pdf", "a PDF without a sidecar")


@dataclass(frozen=True, slots=True)
class _Read:
    """A sidecar as it was found, or why it cannot be read."""

    sidecar: Sidecar | None = None
    problem: UnreadableSidecar | None = None
    raw: bytes = b""

    @property
    def reason(self) -> str | None:
        if self.problem is not None:
            return self.problem.reason
        return None if self.sidecar is None else self.sidecar.reason


def inspect(parts: LetterParts, identifier: str) -> Inspection:
    """Also of a letter that is gone: then it tells what became of its documents."""
    key = ObjectKey.from_job_id(identifier)
    if key is None:
        raise NotFound("no letter has this id")
    lying = next(letter_listing.letters(parts.dead_letters, key.stem), None)
    read = _queued(parts, key) if lying is None else _read(parts, lying)
    standing = _standing(parts, key)
    if lying is None and read.sidecar is None and not (standing and standing.documents):
        raise NotFound("no letter of this id lies here, and no row tells of one")
    return _inspection(parts, key, lying, read, standing)


def _inspection(
    parts: LetterParts, key: ObjectKey, lying: Lying | None, read: _Read, standing: Standing | None
) -> Inspection:
    reason = read.reason or (standing.reason if standing else None)
    where = standing.overall if standing else None
    meaning = meaning_of(reason) if lying else _elsewhere(where)
    sidecar = read.sidecar
    last_error = sidecar.last_error if sidecar else None
    twin = twin_of(last_error) if reason == "refused_twin" else None
    return Inspection(
        id=key.job_id,
        organization_id=key.organization_id,
        document_type=key.document_type,
        sha256=key.sha256,
        object_key=key.pdf,
        standing=where or "unknown",
        letter=None if lying is None else _lying(lying, read, parts.clock.now()),
        reason=reason,
        meaning=meaning.words,
        moves=meaning.moves,
        twin=None if twin is None else Twin(paperless_document_id=twin),
        last_error=last_error,
        retry_count=sidecar.retry_count if sidecar else None,
        size=sidecar.size if sidecar else None,
        documents=_documents(sidecar, standing),
        errors=sidecar.errors if sidecar else (),
        redrives=sidecar.redrives if sidecar else (),
        holds=standing.holds if standing else None,
        source_confirmed=standing.source_confirmed if standing else None,
        download=None if lying is None else _download(parts, key),
    )


def _read(parts: LetterParts, lying: Lying) -> _Read:
    """The first that can be read, of the two that may lie there."""
    found: list[_Read] = []
    for place in lying.places:
        stored = parts.dead_letters.get(place.root + lying.key.sidecar) if place.has_sidecar else None
        if stored is not None:
            found.append(_parsed(stored.body, lying.key))
    return next((each for each in found if each.sidecar), found[0] if found else _Read(problem=LONE_PDF))


def _parsed(raw: bytes, key: ObjectKey) -> _Read:
    try:
        return _Read(Sidecar.parse(raw, key), raw=raw)
    except UnreadableSidecar as exc:
        return _Read(problem=exc, raw=raw)


def _queued(parts: LetterParts, key: ObjectKey) -> _Read:
    """A letter that was sent back tells its history from the queue."""
    try:
        held = Sidecars(parts.queue, parts.clock).read(key)
    except UnreadableSidecar:
        return _Read()
    return _Read(held.sidecar if held else None)


def _standing(parts: LetterParts, key: ObjectKey) -> Standing | None:
    try:
        (standing,) = parts.audit.standings([key])
    except Unavailable as exc:
        log.warning("archive.audit_unavailable", error=str(exc))
        return None
    return standing


def _lying(lying: Lying, read: _Read, now: datetime) -> LyingLetter:
    expiring = [place.since + TAKEN_AFTER for place in lying.places if place.root != KEPT_ROOT]
    lease = read.sidecar.lease if read.sidecar else None
    return LyingLetter(
        kept=lying.kept,
        readable=read.sidecar is not None,
        problem=str(read.problem) if read.problem else None,
        being_moved=lease is not None and lease.until > now,
        dead_at=lying.dead_at,
        age_seconds=max(0, int((now - lying.dead_at).total_seconds())),
        expires_at=None if lying.kept or not expiring else max(expiring),
        has_pdf=any(place.has_pdf for place in lying.places),
        raw=_raw(read.raw),
    )


def _raw(body: bytes) -> JsonValue:
    """As it lies there: JSON if it is, else its text, and never so much that nobody can read it."""
    shown = body[:SHOWN_OF_RAW].decode(errors="replace")
    if not body or len(body) > SHOWN_OF_RAW:
        return shown or None
    try:
        parsed: JsonValue = json.loads(body, parse_constant=str)
    except (ValueError, RecursionError):
        return shown
    return parsed


def _documents(sidecar: Sidecar | None, standing: Standing | None) -> tuple[LetterDocument, ...]:
    rows = dict(standing.documents) if standing else {}
    said = [
        LetterDocument(
            bilko_document_id=each.bilko_document_id,
            invoice_number=each.invoice_number,
            contract_id=each.contract_id,
            trace_id=each.trace_id,
            timestamp=each.timestamp,
            disposition=rows.pop(each.bilko_document_id, None),
        )
        for each in (sidecar.documents if sidecar else ())
    ]
    unsaid = [LetterDocument(bilko_document_id=each, disposition=disposition) for each, disposition in rows.items()]
    return (*said, *unsaid)


def _download(parts: LetterParts, key: ObjectKey) -> Download | None:
    root = pdf_root(parts, key)
    if root is None:
        return None
    address = parts.dead_letters.presign_get(root + key.pdf, LIFETIME)
    return Download(url=address.url, expires_at=address.expires_at)


def _elsewhere(where: Disposition | None) -> Meaning:
    """No letter lies there any more; where its documents went is the news."""
    known = {
        Disposition.QUEUED: "It was sent back, or sent again, and waits in the queue.",
        Disposition.ARCHIVED: "It is in the archive.",
        Disposition.DEAD: "Its row says dead, yet no letter lies here: its objects were removed by hand, or by a rule.",
        Disposition.EXPIRED: "It was left to expire after a week; the application has its copy and can send it again.",
        Disposition.DISCARDED: "An operator threw it away.",
        Disposition.ERASED: "It was erased for good.",
    }
    move = "Have the application send it again." if where is Disposition.DEAD else "Nothing needs to be done here."
    return Meaning(known.get(where or Disposition.REFUSED, "It never came into the queue."), (move,))
