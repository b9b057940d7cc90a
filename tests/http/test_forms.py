"""Multipart forms: one file, some fields, and every way to get that wrong."""

from __future__ import annotations

import io
import os
import tracemalloc
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from flask import Request
from werkzeug.test import EnvironBuilder

from shared.domain.errors import InvalidInput
from shared.http.forms import multipart

if TYPE_CHECKING:
    from flask.testing import FlaskClient

BOUNDARY = "multipart/form-data; boundary=b"


def raw(body: bytes, content_type: str = BOUNDARY) -> Request:
    return Request(EnvironBuilder(method="POST", data=body, content_type=content_type).get_environ())


def part(name: str, value: bytes, filename: str | None = None) -> bytes:
    named = f'; filename="{filename}"' if filename is not None else ""
    return f'--b\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n'.encode() + value + b"\r\n"


END = b"--b--\r\n"


def test_the_file_and_the_fields_arrive(client: FlaskClient) -> None:
    response = client.post("/uploads", data={"title": "Ærlig", "document": (io.BytesIO(b"%PDF"), "a.pdf")})

    assert response.get_json() == {"sha256": sha256(b"%PDF").hexdigest(), "size": 4, "fields": {"title": "Ærlig"}}


@pytest.mark.parametrize(
    "pattern",
    [bytes(range(256)), b"x", b"\r\n", b"\r", b"\n", b"\r\n--", b"\r\n--a" + b"b" * 70_000],
    ids=["every byte", "no line", "empty lines", "returns", "newlines", "near a boundary", "long lines"],
)
def test_a_file_may_hold_anything(pattern: bytes) -> None:
    content = (pattern * (1_000_000 // len(pattern) + 1))[:1_000_000]

    with multipart(raw(part("document", content, "a.pdf") + END), "document") as form:
        assert form.file.stream.read() == content


def test_a_large_file_is_not_held_in_memory() -> None:
    request = raw(part("document", os.urandom(30_000_000), "a.pdf") + END)

    tracemalloc.start()
    with multipart(request, "document") as form:
        size = form.file.size
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert size == 30_000_000
    assert peak < 3_000_000


def test_the_stream_can_be_read_twice() -> None:
    with multipart(raw(part("document", b"abc", "a.pdf") + END), "document") as form:
        first = form.file.stream.read()
        form.file.stream.seek(0)

        assert first == form.file.stream.read() == b"abc"


def test_the_file_is_closed_with_the_form() -> None:
    with multipart(raw(part("document", b"abc", "a.pdf") + END), "document") as form:
        stream = form.file.stream

    assert stream.closed


@pytest.mark.parametrize(
    "request_",
    [
        raw(part("document", b"cut", "a.pdf")),
        raw(part("document", b"cut", "a.pdf")[:-10]),
        raw(b"not a form"),
        raw(part("document", b"abc", "a.pdf") + END, "multipart/form-data"),
    ],
    ids=["no end", "cut short", "no form", "no boundary"],
)
def test_a_broken_form_is_refused_and_not_taken_for_an_empty_one(request_: Request) -> None:
    with pytest.raises(InvalidInput) as refused, multipart(request_, "document"):
        pass

    assert refused.value.field == "body"


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        (b"", "document"),
        (b"--b\r\nContent-Disposition\r\n\r\nabc\r\n", "document"),
        (part("title", b"a"), "document"),
        (part("document", b"a"), "document"),
        (part("document", b"a", "a.pdf") * 2, "document"),
        (part("document", b"a", "a.pdf") + part("other", b"a", "b.pdf"), "other"),
        (part("document", b"a", "a.pdf") + part("title", b"a") * 2, "title"),
    ],
    ids=["nothing", "no name", "no file", "text for a file", "two files", "another file", "a field twice"],
)
def test_a_wrong_part_is_named(parts: bytes, field: str) -> None:
    with pytest.raises(InvalidInput) as refused, multipart(raw(parts + END), "document"):
        pass

    assert refused.value.field == field


@pytest.mark.parametrize(
    "parts", [part("title", b"x" * 1_000_000), part("title", b"x") * 60], ids=["a long field", "many parts"]
)
def test_too_much_text_is_413(client: FlaskClient, parts: bytes) -> None:
    response = client.post("/uploads", data=part("document", b"a", "a.pdf") + parts + END, content_type=BOUNDARY)

    assert response.status_code == 413
