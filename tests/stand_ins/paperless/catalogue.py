"""Finds documents by what they carry, without looking at all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator

from tests.stand_ins.paperless.records import Document

Key = tuple[str, Hashable]


class Catalogue:
    """Sets of document ids by key: ("tag", 5), ("checksum", "ab.."), ("value", (3, "x"))."""

    def __init__(self) -> None:
        self._sets: defaultdict[Key, set[int]] = defaultdict(set)

    def find(self, name: str, value: Hashable) -> set[int]:
        """The set itself, not a copy: look, do not touch."""
        return self._sets.get((name, value)) or set()

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
    yield "correspondent", document.correspondent
    yield "document_type", document.document_type
    for tag in document.tags:
        yield "tag", tag
    for field, value in document.custom_fields.items():
        yield "field", field
        if isinstance(value, str):
            yield "value", (field, value)
