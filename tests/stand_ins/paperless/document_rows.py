"""Documents as the API shows them."""

from __future__ import annotations

from tests.stand_ins.paperless import rights
from tests.stand_ins.paperless.archive import Archive
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.records import Document, Json
from tests.stand_ins.paperless.text import file_name

EXTENSIONS = {
    "application/pdf": ".pdf",
    "text/plain": ".txt",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/tiff": ".tif",
    "image/gif": ".gif",
    "image/bmp": ".bmp",
    "image/webp": ".webp",
}
TRUNCATED = 550


def show(call: Call, document: Document, *, detailed: bool = False, full: bool = False) -> dict[str, Json]:
    """`detailed` is the answer to a GET of one document, `full` shows whom it is shared with."""
    row = _row(call, document, full=full or call.wants_full_permissions)
    if call.world.is_v3:
        row |= _of_version_3(call, document, detailed=detailed)
    if call.parameters.get("truncate_content", "").lower() in ("true", "1"):
        row["content"] = document.content[:TRUNCATED]
    return _chosen(call, row)


def _chosen(call: Call, row: dict[str, Json]) -> dict[str, Json]:
    wanted = call.parameters.get("fields")
    if not wanted:
        return row
    names = set(wanted.split(","))
    return {name: value for name, value in row.items() if name in names}


def _row(call: Call, document: Document, *, full: bool) -> dict[str, Json]:
    row: dict[str, Json] = {
        "id": document.id,
        "correspondent": document.correspondent,
        "document_type": document.document_type,
        "storage_path": None,
        "title": document.title,
        "content": document.content,
        "tags": list(document.tags),
        "created": document.created,
        "created_date": document.created,
        "modified": document.modified,
        "added": document.added,
        "deleted_at": document.deleted_at,
        "archive_serial_number": document.archive_serial_number,
        "original_file_name": document.original_filename,
        "archived_file_name": public_name(call.archive, document, ".pdf") if document.archive else None,
        "owner": document.owner,
    }
    if full:
        row["permissions"] = rights.shared_with(document)
    else:
        row["user_can_change"] = rights.changes(call.user, document)
        row["is_shared_by_requester"] = document.owner == call.user.id and bool(document.view_users)
    row |= {
        "notes": [],
        "custom_fields": shown_values(document),
        "page_count": document.page_count,
        "mime_type": document.mime_type,
    }
    return row


def shown_values(document: Document) -> list[Json]:
    """In the trash the values are hidden, though restoring brings them back."""
    if document.deleted_at is not None:
        return []
    return [{"value": value, "field": field} for field, value in document.custom_fields.items()]


def _of_version_3(call: Call, document: Document, *, detailed: bool) -> dict[str, Json]:
    version = {
        "id": document.id,
        "added": document.added,
        "version_label": None,
        "checksum": document.checksum,
        "is_root": True,
    }
    twins = _twins(call, document) if detailed else []
    return {"duplicate_documents": twins, "root_document": None, "versions": [version]}


def _twins(call: Call, document: Document) -> list[Json]:
    found = call.archive.catalogue.find("bytes", document.checksum) - {document.id}
    documents = [call.archive.documents[number] for number in sorted(found)]
    return [
        {"id": twin.id, "title": twin.title, "deleted_at": twin.deleted_at}
        for twin in documents
        if twin.checksum == document.checksum and rights.sees(call.user, twin)
    ]


def public_name(archive: Archive, document: Document, extension: str | None = None) -> str:
    """The name a downloaded file gets: day, correspondent, title."""
    words = [document.created]
    if document.correspondent is not None:
        words.append(archive.labels["correspondent"][document.correspondent].name)
    if document.title:
        words.append(document.title)
    return file_name(" ".join(words) + (extension or EXTENSIONS.get(document.mime_type, "")))
