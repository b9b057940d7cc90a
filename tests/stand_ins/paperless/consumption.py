"""What a worker does with an upload: looks for duplicates first, then reads the file and stores a document."""

from __future__ import annotations

from datetime import datetime

from tests.stand_ins.paperless import pdf_reading, sniffing, storing
from tests.stand_ins.paperless.clocks import stamp
from tests.stand_ins.paperless.failures import Duplicate, Failure, Reading, not_stored
from tests.stand_ins.paperless.records import Document, Task
from tests.stand_ins.paperless.world import World

# Longer names do not fit once the worker has added to them.
LONGEST_NAME = 250
# The share of overlapping tasks that version 2 loses to its own database.
LOCKED = 0.25


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
        raise not_stored(task, "database is locked")
    document = storing.describe(world, task, reading, at)
    storing.write(world, task, document, content, reading)
    world.archive.add(document)
    return document


def _break_if_told(world: World, task: Task) -> None:
    if world.faults.take("worker_exited", task.file_name):
        job = task.id
        raise Failure(f"Worker exited prematurely: signal 9 (SIGKILL) Job: {job}.", "WorkerLostError")
    if world.faults.take("database_locked", task.file_name):
        raise not_stored(task, "database is locked")


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
