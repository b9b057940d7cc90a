"""Tags have parents: who is above, who is below, and how deep it may get."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.stand_ins.paperless.archive import Archive
from tests.stand_ins.paperless.form import Wrong
from tests.stand_ins.paperless.records import Label

DEEPEST = 5


def ancestors(archive: Archive, tag: Label) -> Iterator[int]:
    parent = tag.parent
    while parent is not None:
        yield parent
        parent = archive.labels["tag"][parent].parent


def children(archive: Archive, number: int) -> list[Label]:
    return [tag for tag in archive.labels["tag"].values() if tag.parent == number]


def descendants(archive: Archive, number: int) -> Iterator[Label]:
    for child in children(archive, number):
        yield child
        yield from descendants(archive, child.id)


def with_ancestors(archive: Archive, tags: Iterable[int]) -> list[int]:
    """The tags and all their parents, each once, in the order met."""
    found: dict[int, None] = {}
    for number in tags:
        found[number] = None
        found.update(dict.fromkeys(ancestors(archive, archive.labels["tag"][number])))
    return list(found)


def _depth(archive: Archive, tag: Label) -> int:
    return len(list(ancestors(archive, tag))) + 1


def check_parent(archive: Archive, tag: Label | None, parent: int | None) -> None:
    if parent is None:
        return
    below = [] if tag is None else list(descendants(archive, tag.id))
    if tag is not None and tag.id == parent:
        raise Wrong("Cannot set itself as parent.")
    if any(child.id == parent for child in below):
        raise Wrong("Cannot set parent to a descendant.")
    own_depth = 0 if tag is None else _depth(archive, tag)
    height = max((_depth(archive, child) - own_depth for child in below), default=0)
    if _depth(archive, archive.labels["tag"][parent]) + 1 + height > DEEPEST:
        raise Wrong("Maximum nesting depth exceeded.")
