"""The watch over the dead letters: how many, how old, whose; one alert for each incident; and the old ones settled."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from shared.domain.audit import Disposition
from shared.domain.dead_letter_answers import WatchAnswer
from shared.domain.dead_letters import DeadSummary, Standing
from shared.domain.errors import PreconditionFailed, Unavailable
from shared.domain.keys import ObjectKey
from shared.domain.pauses import Pause
from shared.domain.watch import NEWLY_DEAD, STRAYS_AT_MOST, Stray, WatchState, fresh, mark
from shared.observability import metrics
from shared.observability.logs import Log
from shared.ports import ObjectStore
from shared.services import keeping
from shared.services.keeping import Settled
from shared.services.letter_census import Census, census
from shared.services.letter_listing import Lying
from shared.services.letters import LetterParts
from shared.services.pauses import pauses
from shared.services.sidecars import CONTENT_TYPE

log = Log(__name__)

STATE = "control/watch.json"
ORGANIZATIONS_SHOWN = 20

Standings = dict[ObjectKey, Standing]


def watch(parts: LetterParts) -> WatchAnswer:
    metrics.count("archive_run_started", function="dlq-alert")
    try:
        state, version = load(parts.dead_letters)
        found = census(parts.dead_letters, state, parts.clock.now())
        paused = pauses(parts.queue, parts.clock)
    except Unavailable:
        log.exception("archive.dlq_watch_failed")
        raise
    standings, summary = _standings(parts, found), _summary(parts)
    settled = keeping.settle(parts, found.due, parts.nonce())
    reasons = _reasons(found, standings)
    begun, incidents = fresh(
        state.incidents, {f"{NEWLY_DEAD}:{reason}" for reason in reasons} | found.crossed, found.now
    )
    alerts: list[str] = []
    memory = _next(found, standings, incidents, settled)
    if _remember(parts.dead_letters, memory, version):
        alerts = sorted({cause.partition(":")[0] for cause in begun})
        _announce(found, reasons, alerts)
        _announce_pauses(paused, state.watched_at, found.now)
    _measure(found, summary, paused)
    return WatchAnswer(
        depth=found.depth,
        oldest_age_seconds=_age(found),
        newly_dead=found.new,
        by_organization={str(each): count for each, count in found.of.most_common(ORGANIZATIONS_SHOWN)},
        by_reason=summary.by_reason if summary else None,
        redriven=summary.redriven if summary else None,
        kept=settled.kept,
        expired=settled.expired,
        postponed=settled.postponed,
        alerts=tuple(alerts),
        pauses=tuple(paused),
    )


def load(store: ObjectStore) -> tuple[WatchState, str | None]:
    """What the last watch left, and the version that the next must replace."""
    found = store.get(STATE)
    return (WatchState(), None) if found is None else (WatchState.parse(found.body), found.info.version)


def _remember(store: ObjectStore, state: WatchState, version: str | None) -> bool:
    """False if another watch was quicker: it tells what there is to tell."""
    body = state.model_dump_json(by_alias=True).encode()
    try:
        if version is None:
            store.create(STATE, body, CONTENT_TYPE)
        else:
            store.replace(STATE, body, CONTENT_TYPE, version)
    except PreconditionFailed:
        return False
    except Unavailable as exc:
        # Told twice is better than not at all.
        log.warning("archive.dlq_watch_forgets", error=str(exc))
    return True


def _standings(parts: LetterParts, found: Census) -> Standings | None:
    """What the rows say of the new letters, of the strays, and of those whose turn it is."""
    keys = list(_looked_at(found))
    try:
        return {each.key: each for each in parts.audit.standings(keys)} if keys else {}
    except Unavailable as exc:
        log.warning("archive.audit_unavailable", error=str(exc))
        return None


def _looked_at(found: Census) -> dict[ObjectKey, Lying]:
    return {lying.key: lying for lying in (*found.news, *found.strays, *found.turn)}


def _summary(parts: LetterParts) -> DeadSummary | None:
    try:
        return parts.audit.dead_summary()
    except Unavailable:
        return None


def _reasons(found: Census, standings: Standings | None) -> Counter[str]:
    """Of the newly dead, as far as the rows tell."""
    known = [None if standings is None else standings[lying.key].reason for lying in found.news]
    return Counter(reason or "unknown" for reason in known)


def _next(found: Census, standings: Standings | None, incidents: dict[str, datetime], settled: Settled) -> WatchState:
    moved = frozenset(mark(key.job_id) for key in settled.moved)
    state = found.next(incidents).model_copy(update={"moved": moved})
    if standings is None:
        return state.model_copy(update={"checked_to": found.state.checked_to})
    strays = [
        Stray(id=key.job_id, dead_at=lying.dead_at, kept=lying.kept, shape=lying.shape)
        for key, lying in _looked_at(found).items()
        if Disposition.DEAD not in standings[key].documents.values()
    ]
    return state.model_copy(update={"strays": tuple(strays[:STRAYS_AT_MOST])})


def _announce(found: Census, reasons: Counter[str], alerts: list[str]) -> None:
    if alerts:
        log.error(
            "archive.dlq_alert",
            causes=alerts,
            newlyDead=found.new,
            depth=found.depth,
            oldestAgeSeconds=_age(found),
            reasons=dict(reasons),
            organizations={str(each): count for each, count in found.new_of.most_common(ORGANIZATIONS_SHOWN)},
        )


def _announce_pauses(paused: list[Pause], watched_at: datetime | None, now: datetime) -> None:
    for pause in paused:
        if pause.alerts(watched_at or pause.since, now):
            log.error("archive.pause_alert", **pause.model_dump(mode="json", by_alias=True))


def _measure(found: Census, summary: DeadSummary | None, paused: list[Pause]) -> None:
    metrics.gauge("archive_dlq_depth", found.depth)
    metrics.gauge("archive_dlq_oldest_age_seconds", _age(found) or 0)
    for reason, count in (summary.by_reason if summary else {}).items():
        metrics.gauge("archive_dlq_depth_by_reason", count, reason=reason)
    everybody = sum(pause.organization_id is None for pause in paused)
    metrics.gauge("archive_paused", everybody, scope="all")
    metrics.gauge("archive_paused", len(paused) - everybody, scope="organization")


def _age(found: Census) -> int | None:
    return None if found.oldest is None else max(0, int((found.now - found.oldest).total_seconds()))
