"""Finds documents by what they carry, without looking at all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator

from tests.stand_ins.paperless.options import User
from tests.stand_ins.paperless.records import Document

Key = tuple[str, Hashable]


class Catalogue:
    """Sets of document ids by key: ("tag", 5), ("checksum", "ab.."), ("value", (3, "x"))."""

    def __init__(self) -> None:
        self._sets: defaultdict[Key, set[int]] = defaultdict(set)

    def find(self, name: str, value: Hashable) -> set[int]:
        """The set itself, not a copy: look, do not touch."""
        return self._sets.get((name, value)) or set()

    def count(self, user: User, name: str, number: int) -> int:
        """How many documents the user may see that carry a label or field, without looking at each."""
        if user.is_superuser:
            return len(self.find(name, number))
        own, unowned = (self.find(f"{name} of", (number, owner)) for owner in (user.id, None))
        shared = self.find("shared with", user.id) & self.find(name, number)
        return len(own) + len(unowned) + len(shared - own - unowned)

    def add(self, document: Document) -> None:
        for key in _keys(document):
            self._sets[key].add(document.id)

    def remove(self, document: Document) -> None:
        for key in _keys(document):
            members = self._sets[key]
            members.discard(document.id)
            if not members:
                del self._sets[key]


def _keys(document: Document) -> Iterator[Key]:
    yield "bytes", document.checksum
    if document.archive_checksum:
        yield "bytes", document.archive_checksum
    if document.archive_serial_number is not None:
        yield "serial", document.archive_serial_number
    if document.deleted_at is not None:
        yield "state", "trash"
        return
    yield "state", "live"
    yield "checksum", document.checksum
    for name, number in _marks(document):
        yield name, number
        yield f"{name} of", (number, document.owner)
    for user in document.view_users:
        yield "shared with", user
    for field, value in document.custom_fields.items():
        if isinstance(value, str):
            yield "value", (field, value)


def _marks(document: Document) -> Iterator[tuple[str, int | None]]:
    """The labels and fields it carries."""
    yield "correspondent", document.correspondent
    yield "document_type", document.document_type
    for tag in document.tags:
        yield "tag", tag
    for field in document.custom_fields:
        yield "field", field
