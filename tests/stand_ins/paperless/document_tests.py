"""Conditions on documents that no index answers: each is tried on what the indexes left over."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator

from tests.stand_ins.paperless.archive import Archive
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.clocks import moment
from tests.stand_ins.paperless.lookups import Parameters
from tests.stand_ins.paperless.records import Document, Json
from tests.stand_ins.paperless.text import LOOKUPS, fold

Test = Callable[[Document], bool]
Read = Callable[[Document], Json]

_COMPARISONS: dict[str, Callable[[Json, Json], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}


def tests(call: Call, parameters: Parameters) -> Iterator[Test]:
    yield from _of_text(call.archive, parameters)
    yield from _of_presence(call.archive, parameters)
    yield from _of_absence(parameters)
    yield from _of_serial_number(parameters)
    yield from _of_created(parameters)
    for name in ("added", "modified"):
        yield from _of_moment(parameters, name)


def _of_text(archive: Archive, parameters: Parameters) -> Iterator[Test]:
    for name in ("title", "content", "original_filename", "checksum"):
        for lookup, matches in LOOKUPS.items():
            wanted = parameters.text(f"{name}__{lookup}")
            if wanted is not None:
                yield _compared(operator.attrgetter(name), matches, wanted)
    mime = parameters.text("mime_type")
    if mime is not None:
        yield _compared(operator.attrgetter("mime_type"), LOOKUPS["icontains"], mime)
    either = parameters.text("title_content")
    if either is not None:
        yield _compared(lambda document: f"{document.title}\n{document.content}", LOOKUPS["icontains"], either)
    anywhere = parameters.text("custom_fields__icontains")
    if anywhere is not None:
        yield lambda document: _in_custom_fields(archive, document, fold(anywhere))
    for name in ("search", "query", "text"):
        yield from (_contains(archive, word) for word in (parameters.text(name) or "").split())


def _compared(read: Read, holds: Callable[[Json, Json], bool], wanted: Json) -> Test:
    return lambda document: holds(read(document), wanted)


def _contains(archive: Archive, word: str) -> Test:
    def test(document: Document) -> bool:
        sender = archive.labels["correspondent"].get(document.correspondent or 0)
        return fold(word) in fold(f"{document.title}\n{document.content}\n{sender.name if sender else ''}")

    return test


def _in_custom_fields(archive: Archive, document: Document, wanted: str) -> bool:
    for number, value in document.custom_fields.items():
        field = archive.custom_fields[number]
        options = (field.extra_data or {}).get("select_options", []) if field.data_type == "select" else []
        shown = next((option["label"] for option in options if option["id"] == value), value)
        if wanted in fold(field.name) or (shown is not None and wanted in fold(str(shown))):
            return True
    return False


def _of_presence(archive: Archive, parameters: Parameters) -> Iterator[Test]:
    """Each of these asks whether something is there; `isnull` asks the opposite."""
    inbox = {tag.id for tag in archive.labels["tag"].values() if tag.is_inbox_tag}
    questions: dict[str, Read] = {
        "is_tagged": lambda document: bool(document.tags),
        "has_custom_fields": lambda document: bool(document.custom_fields),
        "is_in_inbox": lambda document: not inbox.isdisjoint(document.tags),
        "correspondent__isnull": lambda document: document.correspondent is None,
        "document_type__isnull": lambda document: document.document_type is None,
        "storage_path__isnull": lambda _document: True,
        "owner__isnull": lambda document: document.owner is None,
        "archive_serial_number__isnull": lambda document: document.archive_serial_number is None,
    }
    for name, read in questions.items():
        wanted = parameters.boolean(name)
        if wanted is not None:
            yield _compared(read, operator.eq, wanted)


def _of_absence(parameters: Parameters) -> Iterator[Test]:
    held: dict[str, Read] = {
        "tags__id__none": lambda document: document.tags,
        "custom_fields__id__none": lambda document: document.custom_fields,
        "correspondent__id__none": lambda document: (document.correspondent,),
        "document_type__id__none": lambda document: (document.document_type,),
        "owner__id__none": lambda document: (document.owner,),
    }
    for name, read in held.items():
        unwanted = parameters.loose_ids(name)
        if unwanted is not None:
            yield _compared(read, lambda values, none: set(none).isdisjoint(values), unwanted)


def _of_serial_number(parameters: Parameters) -> Iterator[Test]:
    for name in ("archive_serial_number", "owner__id"):
        exact = parameters.number(name)
        if exact is not None:
            yield _compared(operator.attrgetter(name.removesuffix("__id")), operator.eq, exact)
    owners = parameters.numbers("owner__id__in")
    if owners is not None:
        yield _compared(operator.attrgetter("owner"), lambda owner, known: owner in known, owners)
    for lookup, holds in _COMPARISONS.items():
        bound = parameters.number(f"archive_serial_number__{lookup}")
        if bound is not None:
            yield _unless_null(operator.attrgetter("archive_serial_number"), holds, bound)


def _unless_null(read: Read, holds: Callable[[Json, Json], bool], wanted: Json) -> Test:
    return lambda document: read(document) is not None and holds(read(document), wanted)


def _of_created(parameters: Parameters) -> Iterator[Test]:
    yield from _of_parts(parameters, "created", lambda document: document.created)
    for lookup, holds in _COMPARISONS.items():
        for name in (f"created__{lookup}", f"created__date__{lookup}"):
            bound = parameters.day(name)
            if bound is not None:
                yield _compared(operator.attrgetter("created"), holds, bound.isoformat())


def _of_moment(parameters: Parameters, name: str) -> Iterator[Test]:
    read = operator.attrgetter(name)
    yield from _of_parts(parameters, name, read)
    for lookup, holds in _COMPARISONS.items():
        bound = parameters.moment(f"{name}__{lookup}")
        if bound is not None:
            yield _compared(lambda document: moment(read(document)), holds, bound)
        day = parameters.day(f"{name}__date__{lookup}")
        if day is not None:
            yield _compared(lambda document: read(document)[:10], holds, day.isoformat())


def _of_parts(parameters: Parameters, name: str, read: Read) -> Iterator[Test]:
    for part, begin, end in (("year", 0, 4), ("month", 5, 7), ("day", 8, 10)):
        wanted = parameters.number(f"{name}__{part}")
        if wanted is not None:
            yield _compared(_piece(read, begin, end), operator.eq, wanted)


def _piece(read: Read, begin: int, end: int) -> Read:
    return lambda document: int(read(document)[begin:end])
