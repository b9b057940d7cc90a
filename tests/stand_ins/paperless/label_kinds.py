"""The three kinds of label and what tells them apart."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LabelKind:
    """Names of one kind: in the API's paths, in our tables, in permissions, in errors, and of its orderings."""

    endpoint: str
    kind: str
    permission: str
    model: str
    spoken: str
    orderings: tuple[str, ...]


_COMMON = ("name", "matching_algorithm", "match", "document_count")

TAGS = LabelKind("tags", "tag", "tag", "Tag", "tag", ("color", *_COMMON))
CORRESPONDENTS = LabelKind(
    "correspondents",
    "correspondent",
    "correspondent",
    "Correspondent",
    "correspondent",
    (*_COMMON, "last_correspondence"),
)
DOCUMENT_TYPES = LabelKind("document_types", "document_type", "documenttype", "DocumentType", "document type", _COMMON)

ALL_KINDS = (TAGS, CORRESPONDENTS, DOCUMENT_TYPES)
