"""The rows a Paperless server keeps, and their way to and from JSON."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

# JSON as a client sent it: any shape at all until it is checked.
Json = Any


@dataclass(slots=True)
class Owned:
    """What belongs to somebody and may be shared with others."""

    id: int
    owner: int | None = None
    view_users: list[int] = field(default_factory=list)
    change_users: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Label(Owned):
    """A tag, a correspondent or a document type; only tags use the last three."""

    kind: str = ""
    name: str = ""
    match: str = ""
    matching_algorithm: int = 1
    is_insensitive: bool = True
    color: str = "#a6cee3"
    is_inbox_tag: bool = False
    parent: int | None = None


@dataclass(slots=True)
class CustomField:
    """A field that documents may carry a value of; it belongs to nobody."""

    id: int
    name: str
    data_type: str
    extra_data: Json = None


@dataclass(slots=True)
class Document(Owned):
    """A stored document; the file names are keys of the file store."""

    title: str = ""
    content: str = ""
    mime_type: str = "application/pdf"
    checksum: str = ""
    archive_checksum: str | None = None
    created: str = ""
    added: str = ""
    modified: str = ""
    deleted_at: str | None = None
    page_count: int | None = None
    original_filename: str = ""
    correspondent: int | None = None
    document_type: int | None = None
    archive_serial_number: int | None = None
    tags: list[int] = field(default_factory=list)
    custom_fields: dict[int, Json] = field(default_factory=dict)
    original: str = ""
    archive: str | None = None
    thumbnail: str = ""


@dataclass(slots=True)
class Task:
    """One upload on its way; `verdict` is what the worker knew before it read the file."""

    id: int
    task_id: str
    file_name: str
    mime_type: str
    owner: int
    created: str
    overrides: dict[str, Json]
    checksum: str
    scratch: str
    status: str = "PENDING"
    started: str | None = None
    done: str | None = None
    result: dict[str, Json] | None = None
    verdict: dict[str, Json] | None = None
    acknowledged: bool = False
    abandoned: bool = False
    told: bool = False


Row = Label | CustomField | Document | Task
_NAMES = {kind: [field.name for field in fields(kind)] for kind in (Label, CustomField, Document, Task)}


def to_json(row: Row) -> dict[str, Json]:
    """Not a copy all the way down: it is written at once and thrown away."""
    return {name: getattr(row, name) for name in _NAMES[type(row)]}


def from_json(kind: str, values: dict[str, Json]) -> Row:
    if kind == "document":
        return Document(
            **{**values, "custom_fields": {int(key): value for key, value in values["custom_fields"].items()}}
        )
    if kind == "task":
        return Task(**values)
    return CustomField(**values) if kind == "custom_field" else Label(**values)


def kind_of(row: Row) -> str:
    if isinstance(row, Document):
        return "document"
    if isinstance(row, Task):
        return "task"
    return row.kind if isinstance(row, Label) else "custom_field"
