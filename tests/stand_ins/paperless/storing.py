"""An upload that was read becomes a document: described, labelled, its files written."""

from __future__ import annotations

from datetime import datetime

from tests.stand_ins.paperless import custom_values, matching, pdf_reading, tag_tree
from tests.stand_ins.paperless.checksums import checksum
from tests.stand_ins.paperless.clocks import stamp
from tests.stand_ins.paperless.document_rows import EXTENSIONS
from tests.stand_ins.paperless.failures import Reading, not_stored
from tests.stand_ins.paperless.records import CustomField, Document, Json, Task
from tests.stand_ins.paperless.thumbnails import THUMBNAIL
from tests.stand_ins.paperless.world import World

# More text than this and version 3 makes no PDF of its own.
BORN_DIGITAL = 50
LONGEST_TITLE = 127


def describe(world: World, task: Task, reading: Reading, at: datetime) -> Document:
    overrides = task.overrides
    if not world.is_v3 and world.archive.catalogue.find("bytes", task.checksum):
        raise not_stored(task, "UNIQUE constraint failed: documents_document.checksum")
    guessed = pdf_reading.first_date(reading.text, at.date()) if "created" not in overrides else None
    title = overrides.get("title", task.file_name.rpartition(".")[0] or task.file_name)
    document = Document(
        id=0,
        owner=task.owner,
        title=title[:LONGEST_TITLE],
        content=reading.text,
        mime_type=reading.media_type,
        checksum=task.checksum,
        created=overrides.get("created") or (guessed or at.date()).isoformat(),
        added=stamp(at),
        modified=stamp(at),
        page_count=reading.pages,
        original_filename=task.file_name,
        archive_serial_number=overrides.get("asn"),
    )
    _label(world, task, document)
    matching.apply(world, document)
    document.id = world.archive.next_id("document")
    return document


def _label(world: World, task: Task, document: Document) -> None:
    """A label that was deleted meanwhile fails the task, a custom field is just left out."""
    overrides, labels = task.overrides, world.archive.labels
    for kind, model in (("correspondent", "Correspondent"), ("document_type", "DocumentType")):
        number = overrides.get(f"{kind}_id")
        if number is not None and number not in labels[kind]:
            raise not_stored(task, f"{model} matching query does not exist.")
        setattr(document, kind, number)
    wanted = overrides.get("tag_ids", [])
    if not set(wanted) <= labels["tag"].keys():
        raise not_stored(task, "Tag matching query does not exist.")
    document.tags = tag_tree.with_ancestors(world.archive, wanted)
    for key, value in overrides.get("custom_fields", {}).items():
        field = world.archive.custom_fields.get(int(key))
        if field is not None:
            document.custom_fields[field.id] = _storable(task, field, value)


def _storable(task: Task, field: CustomField, value: Json) -> Json:
    try:
        return custom_values.stored(field, value)
    except custom_values.Unstorable as error:
        raise not_stored(task, str(error)) from None


def write(world: World, task: Task, document: Document, content: bytes, reading: Reading) -> None:
    """The files come before the row: a process killed in between does this again and ends with the same."""
    stem = f"{document.id:07}"
    document.original = f"originals/{stem}{EXTENSIONS[reading.media_type]}"
    document.thumbnail = f"thumbnails/{stem}.webp"
    world.files.link(task.scratch, document.original)
    world.files.put(document.thumbnail, THUMBNAIL)
    if _wants_archive(world, reading):
        archived = content + f"\n% archived by the server as {stem}\n".encode()
        document.archive = f"archive/{stem}.pdf"
        document.archive_checksum = checksum(archived, is_v3=world.is_v3)
        world.files.put(document.archive, archived)


def _wants_archive(world: World, reading: Reading) -> bool:
    if reading.media_type != "application/pdf" or reading.pages is None:
        return False
    return not world.is_v3 or len(reading.text) <= BORN_DIGITAL
