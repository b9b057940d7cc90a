"""The dead-letter bucket as a stream of letters, by listing alone: nothing is read object by object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import groupby

from shared.domain.dead_letters import Shape
from shared.domain.keys import KEPT_ROOT, PDF_SUFFIX, QUEUE_ROOT, ObjectKey
from shared.observability.logs import Log
from shared.ports import ObjectStore

log = Log(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """What lies under one root, and since when: a sidecar is written anew in every move, so the PDF's time counts."""

    root: str
    since: datetime
    has_pdf: bool
    has_sidecar: bool


@dataclass(frozen=True, slots=True)
class Lying:
    """One letter, which may lie in parts, or twice, under both roots."""

    key: ObjectKey
    places: tuple[Place, ...]

    @property
    def dead_at(self) -> datetime:
        return max(place.since for place in self.places)

    @property
    def kept(self) -> bool:
        return any(place.root == KEPT_ROOT for place in self.places)

    @property
    def shape(self) -> Shape:
        if not any(place.has_sidecar for place in self.places):
            return Shape.PDF_ONLY
        return Shape.LETTER if any(place.has_pdf for place in self.places) else Shape.SIDECAR_ONLY


def letters(store: ObjectStore, prefix: str = QUEUE_ROOT, after: str = "") -> Iterator[Lying]:
    """In the order of keys, beginning after the PDF of that name; listings are read page by page."""
    streams = [_places(store, root, prefix, after) for root in ("", KEPT_ROOT)]
    for key, places in groupby(merge(*streams, key=_name), key=lambda pair: pair[0]):
        yield Lying(key, tuple(place for _, place in places))


def _name(pair: tuple[ObjectKey, Place]) -> str:
    return pair[0].pdf


def _places(store: ObjectStore, root: str, prefix: str, after: str) -> Iterator[tuple[ObjectKey, Place]]:
    listed = store.list(root + prefix, start_after=root + after if after else "")
    pairs = ((ObjectKey.parse(info.key.removeprefix(root)), info) for info in listed)
    for key, found in groupby(pairs, key=lambda pair: pair[0]):
        infos = [info for _, info in found]
        if key is None:
            log.warning("archive.unknown_object", r2Key=infos[0].key, objects=len(infos))
            continue
        # `.meta.json` sorts before `.pdf`, so the PDF is the last of the two.
        names = [info.key.endswith(PDF_SUFFIX) for info in infos]
        yield key, Place(root, infos[-1].updated, has_pdf=True in names, has_sidecar=False in names)
