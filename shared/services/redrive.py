"""Many letters sent back: which ones are meant, at what pace, and what became of each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from shared.domain.dead_letters import Cursor, LetterFilter
from shared.domain.errors import ArchivoltError
from shared.domain.keys import ObjectKey
from shared.domain.redrive import RedriveAnswer, RedriveItem, RedriveRequest, Sending
from shared.domain.sidecar import UnreadableSidecar
from shared.observability import metrics
from shared.observability.logs import Log
from shared.services import letter_listing
from shared.services.letters import Busy, Found, LetterParts, find
from shared.services.sending_back import Outcome, send_back

log = Log(__name__)

BUDGET = timedelta(seconds=200)
PATIENCE, STEP = timedelta(seconds=2), 0.25


def redrive(parts: LetterParts, request: RedriveRequest, per_second: float = 10.0) -> RedriveAnswer:
    """At a pace that the drain and audit-callback can bear; the cursor goes on where this one stopped."""
    after = Cursor.open(request.cursor, request.scope)
    owner, begun = parts.nonce(), parts.clock.now()
    items: list[RedriveItem] = []
    for mark, identifier in _selected(parts, request, after):
        started = parts.clock.now()
        if len(items) >= request.limit or started - begun >= BUDGET:
            return RedriveAnswer.of(items, Cursor(scope=request.scope, after=after).text())
        after = mark
        item = _item(parts, request, identifier, owner)
        if item is not None:
            items.append(item)
            _pace(parts, started, per_second)
    return RedriveAnswer.of(items, None)


def _selected(parts: LetterParts, request: RedriveRequest, after: str) -> Iterator[tuple[str, str]]:
    """The id of each letter that is meant, as far as a listing tells, and the mark to go on after it."""
    if request.ids is not None:
        begin = int(after or 0)
        yield from ((str(number), each) for number, each in enumerate(request.ids[begin:], begin + 1))
        return
    wanted, now = request.filter or LetterFilter(), parts.clock.now()
    for lying in letter_listing.letters(parts.dead_letters, wanted.prefix, after):
        if wanted.admits(lying.key, lying.dead_at, now):
            yield lying.key.pdf, lying.key.job_id


def _item(parts: LetterParts, request: RedriveRequest, identifier: str, owner: str) -> RedriveItem | None:
    """None for a letter whose reason shows that it is not meant."""
    key = ObjectKey.from_job_id(identifier)
    if key is None:
        return RedriveItem(id=identifier, outcome=Sending.UNKNOWN, detail="This is no letter's id.")
    try:
        sent = _sent(parts, request, key, owner)
    except UnreadableSidecar as exc:
        sent = Sending.FAILED, f"What lies in the queue under its key cannot be read: {exc}"
    except ArchivoltError as exc:
        sent = Sending.FAILED, exc.message
    if sent is None:
        return None
    outcome, detail = sent
    metrics.count("archive_redrives_total", document_type=key.document_type, outcome=outcome)
    log.event("dead_letter.redriven", r2Key=key.pdf, organizationId=str(key.organization_id), outcome=outcome)
    return RedriveItem(id=identifier, outcome=outcome, detail=detail)


def _sent(parts: LetterParts, request: RedriveRequest, key: ObjectKey, owner: str) -> Outcome | None:
    """If somebody else has just pressed the same button, the letter is queued in a moment, and that is the answer."""
    patience = parts.clock.now() + PATIENCE
    while True:
        found = find(parts, key)
        if not _meant(request.filter, found):
            return None
        try:
            return send_back(parts, key, found, request.actor, owner)
        except Busy:
            if parts.clock.now() >= patience:
                raise
            parts.clock.sleep(STEP)


def _meant(wanted: LetterFilter | None, found: Found) -> bool:
    return wanted is None or wanted.reason is None or wanted.reason in found.reasons


def _pace(parts: LetterParts, started: datetime, per_second: float) -> None:
    spent = (parts.clock.now() - started).total_seconds()
    parts.clock.sleep(max(0.0, 1 / per_second - spent))
