"""The queue as a stream of candidates, one per organisation in turn, so that nobody waits behind another's backlog."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from shared.domain.keys import PDF_SUFFIX, PRIORITY_ROOT, QUEUE_ROOT, SIDECAR_SUFFIX, ObjectKey
from shared.domain.objects import ObjectInfo
from shared.observability.logs import Log
from shared.ports import ObjectStore

log = Log(__name__)

PAUSED = "control/paused"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A key that may hold work: by its sidecar, its priority marker, or a PDF that has no sidecar."""

    key: ObjectKey
    seen: datetime
    orphan: bool = False
    marker: bool = False


def candidates(store: ObjectStore, *, shard: int, shards: int, start: str) -> Iterator[Candidate]:
    """Round robin over organisations, from a place that differs from run to run; listings are read page by page."""
    turns = deque(_turn(store, prefix) for prefix in _rotation(store, shard, shards, start))
    while turns:
        turn = turns.popleft()
        candidate = next(turn, None)
        if candidate is not None:
            turns.append(turn)
            yield candidate


def _rotation(store: ObjectStore, shard: int, shards: int, start: str) -> list[str]:
    """An organisation is met by its documents, or by a marker that outlived its document."""
    marked = {prefix.removeprefix(PRIORITY_ROOT) for prefix in store.folders(PRIORITY_ROOT + QUEUE_ROOT)}
    found = sorted(marked.union(store.folders(QUEUE_ROOT)))
    prefixes = [prefix for prefix in found if _number(prefix) % shards == shard]
    offset = _number(start) % len(prefixes) if prefixes else 0
    return prefixes[offset:] + prefixes[:offset]


def _turn(store: ObjectStore, prefix: str) -> Iterator[Candidate]:
    """One organisation's documents: those marked urgent first, then in the order of their keys."""
    urgent: set[ObjectKey] = set()
    for info in store.list(PRIORITY_ROOT + prefix):
        key = ObjectKey.parse(info.key.removeprefix(PRIORITY_ROOT))
        if key is not None:
            urgent.add(key)
            yield Candidate(key, info.updated, marker=True)
    yield from (candidate for candidate in _pairs(store.list(prefix)) if candidate.key not in urgent)


def _pairs(listing: Iterator[ObjectInfo]) -> Iterator[Candidate]:
    """`.meta.json` sorts just before its `.pdf`, so a PDF that does not follow its sidecar has none."""
    last: ObjectKey | None = None
    for info in listing:
        key = ObjectKey.parse(info.key)
        if key is None:
            log.warning("archive.unknown_object", r2Key=info.key)
        elif info.key.endswith(SIDECAR_SUFFIX):
            last = key
            yield Candidate(key, info.updated)
        elif info.key.endswith(PDF_SUFFIX) and key != last:
            yield Candidate(key, info.updated, orphan=True)


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def paused_organizations(store: ObjectStore) -> tuple[bool, frozenset[UUID]]:
    """Whether everything is paused, and who is."""
    keys = [info.key for info in store.list(PAUSED)]
    organizations = [_paused(key) for key in keys if key != PAUSED]
    return PAUSED in keys, frozenset(each for each in organizations if each is not None)


def _paused(key: str) -> UUID | None:
    """Written by people, so it may be anything."""
    try:
        return UUID(key.removeprefix(f"{PAUSED}/"))
    except ValueError:
        log.warning("archive.unknown_object", r2Key=key)
        return None


def depth(store: ObjectStore, limit: int) -> int:
    """The number of sidecars, counted up to a limit: the answer to "how bad is it" need not cost a full listing."""
    count = 0
    for info in store.list(QUEUE_ROOT):
        count += info.key.endswith(SIDECAR_SUFFIX)
        if count >= limit:
            break
    return count
