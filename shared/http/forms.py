"""Reads a multipart form: text fields and one file, which is kept on disk once it is large."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, BinaryIO, cast

from werkzeug.formparser import FormDataParser

from shared.domain.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Request
    from werkzeug.datastructures import FileStorage, MultiDict

MOST_PARTS = 50
# Werkzeug holds this against its read buffer too, also inside a file, so it must be well above one read of 64 KiB.
LONGEST_FIELD = 512 * 1024
MOST_IN_MEMORY = 512 * 1024


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file of a form, at its beginning; closed when the form is."""

    stream: BinaryIO
    size: int
    name: str
    content_type: str


@dataclass(frozen=True, slots=True)
class Form:
    """What a multipart body held."""

    fields: dict[str, str]
    file: FilePart


@contextmanager
def multipart(request: Request, file: str) -> Iterator[Form]:
    """The form of a request, whose one file must be called `file`."""
    with ExitStack() as opened:
        fields, files = _parse(request, opened)
        yield Form(_each_once(fields), _only_file(files, file))


def _parse(request: Request, opened: ExitStack) -> tuple[MultiDict[str, str], MultiDict[str, FileStorage]]:
    def spool(*_: object, **__: object) -> BinaryIO:
        return cast("BinaryIO", opened.enter_context(SpooledTemporaryFile(MOST_IN_MEMORY)))

    # Not request.form: that takes a broken or truncated body for an empty form.
    parser = FormDataParser(spool, LONGEST_FIELD, max_form_parts=MOST_PARTS, silent=False)
    try:
        _, fields, files = parser.parse(
            request.stream, request.mimetype, request.content_length, dict(request.mimetype_params)
        )
    except ValueError as exc:
        raise InvalidInput("body", "The body is not a complete multipart form.") from exc
    return fields, files


def _each_once(fields: MultiDict[str, str]) -> dict[str, str]:
    for name, values in fields.lists():
        if len(values) > 1:
            raise InvalidInput(name, f"{name} is given more than once.")
    return fields.to_dict()


def _only_file(files: MultiDict[str, FileStorage], wanted: str) -> FilePart:
    given = files.getlist(wanted)
    if unknown := next((name for name in files if name != wanted), None):
        raise InvalidInput(unknown, f"{unknown} is not a file we take.", unprocessable=True)
    if len(given) != 1:
        raise InvalidInput(wanted, f"{wanted} must be exactly one file.", unprocessable=True)
    stream = cast("BinaryIO", given[0].stream)
    return FilePart(stream, _size(stream), given[0].filename or "", given[0].mimetype)


def _size(stream: BinaryIO) -> int:
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    return size
