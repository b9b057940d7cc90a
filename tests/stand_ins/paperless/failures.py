"""What a worker finds in a file, or why it does not become a document."""

from __future__ import annotations

from dataclasses import dataclass

from tests.stand_ins.paperless.records import Document, Json, Task


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


def not_stored(task: Task, reason: str) -> Failure:
    name = task.file_name
    return Failure(f"{name}: The following error occurred while storing document {name} after parsing: {reason}")
