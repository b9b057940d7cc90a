"""The files of a document, which are served even from the trash, and what is known about them."""

from __future__ import annotations

import unicodedata
from urllib.parse import quote

from tests.stand_ins.paperless import document_rows, rights
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.messages import Response, crash, insufficient_permissions, json_response, not_found
from tests.stand_ins.paperless.records import Document, Json


def download(call: Call, key: str) -> Response:
    return _file(call, _find(call, key, trash=True), "attachment")


def preview(call: Call, key: str) -> Response:
    return _file(call, _find(call, key, trash=True), "inline")


def thumbnail(call: Call, key: str) -> Response:
    document = _find(call, key, trash=call.world.is_v3)
    return Response(200, {"Content-Type": "image/webp"}, _content(call, document.thumbnail))


def metadata(call: Call, key: str) -> Response:
    document = _find(call, key, trash=False)
    body: dict[str, Json] = {
        "original_checksum": document.checksum,
        "original_size": _size(call, document.original),
        "original_mime_type": document.mime_type,
        "media_filename": document.original.rpartition("/")[2],
        "has_archive_version": document.archive is not None,
        "original_metadata": [],
        "archive_checksum": document.archive_checksum,
        "archive_media_filename": document.archive.rpartition("/")[2] if document.archive else None,
        "original_filename": document.original_filename,
        "archive_size": _size(call, document.archive) if document.archive else None,
        "archive_metadata": [] if document.archive else None,
        "lang": "en",
    }
    return json_response(body)


def _find(call: Call, key: str, *, trash: bool) -> Document:
    if not key.isascii() or not key.isdecimal():
        raise crash()
    document = call.archive.documents.get(int(key))
    if document is None or (document.deleted_at is not None and not trash):
        raise not_found()
    if not rights.sees(call.user, document):
        raise insufficient_permissions()
    return document


def _file(call: Call, document: Document, disposition: str) -> Response:
    """The server's own version of the file, if there is one, unless the original is asked for in just these letters."""
    if document.archive and call.parameters.get("original") != "true":
        content, media_type, extension = _content(call, document.archive), "application/pdf", ".pdf"
    else:
        content, media_type, extension = _content(call, document.original), document.mime_type, None
    name = document_rows.public_name(call.archive, document, extension)
    plain = unicodedata.normalize("NFKD", name.replace(",", "_")).encode("ascii", "ignore").decode("ascii")
    shown = f"{disposition}; filename=\"{plain}\"; filename*=utf-8''{quote(name)}"
    return Response(200, {"Content-Type": media_type, "Content-Disposition": shown}, content)


def _content(call: Call, key: str) -> bytes:
    content = call.world.files.get(key)
    if content is None:
        raise not_found()
    return content


def _size(call: Call, key: str) -> int | None:
    content = call.world.files.get(key)
    return None if content is None else len(content)
