"""What a worker does with an upload: looks for duplicates first, then reads the file and stores a document."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tests.stand_ins.paperless import custom_values, matching, pdf_reading, sniffing, tag_tree
from tests.stand_ins.paperless.checksums import checksum
from tests.stand_ins.paperless.clocks import stamp
from tests.stand_ins.paperless.document_rows import EXTENSIONS
from tests.stand_ins.paperless.records import CustomField, Document, Json, Task
from tests.stand_ins.paperless.thumbnails import THUMBNAIL
from tests.stand_ins.paperless.world import World

# More text than this and version 3 makes no PDF of its own.
BORN_DIGITAL = 50
LONGEST_TITLE = 127
# Longer names do not fit once the worker has added to them.
LONGEST_NAME = 250
# The share of overlapping tasks that version 2 loses to its own database.
LOCKED = 0.25


class Failure(Exception):
    """A task that does not become a document."""

    def __init__(self, message: str, error_type: str = "ConsumerError") -> None:
        super().__init__(message)
        self.result: dict[str, Json] = {"error_type": error_type, "error_message": message}


class Duplicate(Failure):
    """The same bytes are there already, which version 3 tells in its own way."""

    def __init__(self, message: str, document: Document) -> None:
        super().__init__(message)
        trashed = document.deleted_at is not None
        self.result |= {"duplicate_of": document.id, "duplicate_in_trash": trashed}


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found in the file."""

    media_type: str
    text: str
    pages: int | None


def begin(world: World, number: int, at: datetime) -> bool:
    """False if the task is never heard of again. Whoever begins before another has ended does not see its document."""
    task = world.archive.tasks[number]
    with world.archive.changing(task):
        task.status, task.started = "STARTED", stamp(at)
        if world.faults.take("stuck", task.file_name) or world.faults.take("worker_killed", task.file_name):
            task.abandoned = True
            return False
        try:
            _preflight(world, task)
        except Failure as failure:
            task.verdict = failure.result
        task.told = world.is_v3
    return True


def finish(world: World, number: int, at: datetime) -> None:
    task = world.archive.tasks[number]
    with world.archive.changing(task):
        task.done = stamp(at)
        try:
            if task.verdict is not None:
                task.status, task.result = "FAILURE", task.verdict
            else:
                document = _consume(world, task, at)
                task.status, task.result = "SUCCESS", {"document_id": document.id}
        except Failure as failure:
            task.status, task.result = "FAILURE", failure.result
    world.archive.commit()
    if task.status == "SUCCESS" or ("duplicate_of" in (task.result or {}) and world.options.delete_duplicates):
        world.files.delete(task.scratch)


def _preflight(world: World, task: Task) -> None:
    name = task.file_name
    twin = _twin(world, task.checksum)
    if twin is not None and (world.options.delete_duplicates or not world.is_v3):
        note = " Note: existing document is in the trash." if twin.deleted_at is not None else ""
        raise Duplicate(f"{name}: Not consuming {name}: It is a duplicate of {twin.title} (#{twin.id}).{note}", twin)
    serial = task.overrides.get("asn")
    for number in world.archive.catalogue.find("serial", serial) if serial is not None else ():
        note = " Note: existing document is in the trash." if world.archive.documents[number].deleted_at else ""
        raise Failure(f"{name}: Not consuming {name}: Given ASN {serial} already exists!{note}")


def _twin(world: World, digest: str) -> Document | None:
    found = [world.archive.documents[number] for number in world.archive.catalogue.find("bytes", digest)]
    return max(found, key=lambda document: (document.created, document.id), default=None)


def _consume(world: World, task: Task, at: datetime) -> Document:
    _break_if_told(world, task)
    content = world.files.get(task.scratch) or b""
    if len(task.file_name.encode()) > LONGEST_NAME:
        raise Failure(f"[Errno 36] File name too long: '{task.file_name}'", "OSError")
    reading = _look_into(task, content)
    if not world.is_v3 and world.crew.running and world.random.random() < LOCKED:
        raise _not_stored(task, "database is locked")
    document = _describe(world, task, reading, at)
    _write(world, task, document, content, reading)
    world.archive.add(document)
    return document


def _break_if_told(world: World, task: Task) -> None:
    if world.faults.take("worker_exited", task.file_name):
        job = task.id
        raise Failure(f"Worker exited prematurely: signal 9 (SIGKILL) Job: {job}.", "WorkerLostError")
    if world.faults.take("database_locked", task.file_name):
        raise _not_stored(task, "database is locked")


def _not_stored(task: Task, reason: str) -> Failure:
    name = task.file_name
    return Failure(f"{name}: The following error occurred while storing document {name} after parsing: {reason}")


def _look_into(task: Task, content: bytes) -> Reading:
    name, media_type = task.file_name, sniffing.media_type(content)
    if media_type == "text/plain":
        return Reading(media_type, content.decode("utf-8", "replace").strip(), None)
    if media_type != "application/pdf":
        if media_type not in sniffing.SUPPORTED:
            raise Failure(f"{name}: Unsupported mime type {media_type}")
        return Reading(media_type, "", None)
    try:
        found = pdf_reading.read(content)
    except pdf_reading.Unreadable:
        raise Failure(f"{name}: Error occurred while consuming document {name}: InputFileError: ") from None
    return Reading(media_type, found.text, found.pages)


def _describe(world: World, task: Task, reading: Reading, at: datetime) -> Document:
    overrides = task.overrides
    if not world.is_v3 and world.archive.catalogue.find("bytes", task.checksum):
        raise _not_stored(task, "UNIQUE constraint failed: documents_document.checksum")
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
            raise _not_stored(task, f"{model} matching query does not exist.")
        setattr(document, kind, number)
    wanted = overrides.get("tag_ids", [])
    if not set(wanted) <= labels["tag"].keys():
        raise _not_stored(task, "Tag matching query does not exist.")
    document.tags = tag_tree.with_ancestors(world.archive, wanted)
    for key, value in overrides.get("custom_fields", {}).items():
        field = world.archive.custom_fields.get(int(key))
        if field is not None:
            document.custom_fields[field.id] = _storable(task, field, value)


def _storable(task: Task, field: CustomField, value: Json) -> Json:
    try:
        return custom_values.stored(field, value)
    except custom_values.Unstorable as error:
        raise _not_stored(task, str(error)) from None


def _write(world: World, task: Task, document: Document, content: bytes, reading: Reading) -> None:
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
