"""Dead letters as a page, from the rows or, while those are away, from the bucket's listing."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import Literal

from shared.domain.dead_letter_answers import LetterPage, ListedLetter, Summary
from shared.domain.dead_letter_reasons import meaning_of
from shared.domain.dead_letters import Cursor, DeadRow, LetterQuery, Shape, scope_of
from shared.domain.errors import Unavailable
from shared.domain.keys import ObjectKey
from shared.domain.watch import WatchState
from shared.observability.logs import Log
from shared.services import letter_listing
from shared.services.dead_letter_watch import load
from shared.services.letters import LetterParts
from shared.services.pauses import pauses

log = Log(__name__)

Source = Literal["rows", "listing"]
Letters = tuple[list[ListedLetter], str | None]

LISTED_AT_MOST = 5000
"""Letters passed over for one page of a filter that few of them meet; the cursor goes on."""


def page(parts: LetterParts, query: LetterQuery) -> LetterPage:
    """A page costs a query, or a listing, whatever the number of letters; none of them is opened for it."""
    scope = scope_of(query.wanted)
    after = Cursor.open(query.cursor, scope)
    state, now = load(parts.dead_letters)[0], parts.clock.now()
    try:
        letters, mark = _from_rows(parts, query, after, now)
        source: Source = "rows"
    except Unavailable as exc:
        log.warning("archive.audit_unavailable", error=str(exc))
        letters, mark = _from_listing(parts, query, after, now)
        source = "listing"
    return LetterPage(
        source=source,
        letters=tuple(letters),
        strays=_strays(query, state, now) if source == "rows" and query.cursor is None else (),
        ignored=("reason",) if source == "listing" and query.reason is not None else (),
        more=mark is not None,
        cursor=None if mark is None else Cursor(scope=scope, after=mark).text(),
        summary=_summary(state, now),
        pauses=tuple(pauses(parts.queue, parts.clock)),
    )


def _from_rows(parts: LetterParts, query: LetterQuery, after: str, now: datetime) -> Letters:
    rows = parts.audit.dead_letters(query.wanted, after, query.limit + 1)
    shown = rows[: query.limit]
    return [_from_row(row, now) for row in shown], shown[-1].object_key if len(rows) > query.limit else None


def _from_listing(parts: LetterParts, query: LetterQuery, after: str, now: datetime) -> Letters:
    listed = letter_listing.letters(parts.dead_letters, query.prefix, after)
    letters: list[ListedLetter] = []
    for lying in islice(listed, LISTED_AT_MOST):
        if len(letters) == query.limit:
            return letters, after
        after = lying.key.pdf
        if query.admits(lying.key, lying.dead_at, now):
            letters.append(_listed(lying.key, lying.dead_at, now, kept=lying.kept, shape=lying.shape))
    return letters, after if next(listed, None) is not None else None


def _strays(query: LetterQuery, state: WatchState, now: datetime) -> tuple[ListedLetter, ...]:
    """As the last watch saw them; what a letter without a row died of is not known here."""
    named = ((ObjectKey.from_job_id(stray.id), stray) for stray in state.strays if query.reason is None)
    return tuple(
        _listed(key, stray.dead_at, now, kept=stray.kept, shape=stray.shape)
        for key, stray in named
        if key is not None and query.admits(key, stray.dead_at, now)
    )


def _from_row(row: DeadRow, now: datetime) -> ListedLetter:
    told = {"reason": row.reason, "meaning": meaning_of(row.reason).words, "last_error": row.last_error}
    return _listed(row.key, row.dead_at or now, now).model_copy(
        update={**told, "documents": row.documents, "redrives": row.redrives}
    )


def _listed(
    key: ObjectKey, dead_at: datetime, now: datetime, *, kept: bool | None = None, shape: Shape | None = None
) -> ListedLetter:
    return ListedLetter(
        id=key.job_id,
        organization_id=key.organization_id,
        document_type=key.document_type,
        sha256=key.sha256,
        dead_at=dead_at,
        age_seconds=_seconds(now, dead_at),
        kept=kept,
        shape=shape,
    )


def _summary(state: WatchState, now: datetime) -> Summary:
    if state.watched_at is None:
        return Summary()
    oldest = None if state.oldest is None else _seconds(now, state.oldest)
    return Summary(depth=state.depth, oldest_age_seconds=oldest, watched_at=state.watched_at)


def _seconds(now: datetime, then: datetime) -> int:
    return max(0, int((now - then).total_seconds()))
