"""What becomes of PDFs and their relatives."""

from __future__ import annotations

import hashlib

import pytest

from tests.stand_ins.bench import Bench
from tests.stand_ins.paperless.options import VERSIONS, ServerVersion
from tests.stand_ins.papers import letter, locked_letter, owned_letter, short_letter


@pytest.fixture(params=VERSIONS)
def bench(request: pytest.FixtureRequest) -> Bench:
    return Bench(request.param)


def document(bench: Bench, content: bytes, name: str = "letter.pdf") -> dict[str, object]:
    number = bench.stored(bench.upload(content, name))
    return dict(bench.alice.get(f"/api/documents/{number}/").json())


def test_a_text_pdf_is_read(bench: Bench) -> None:
    row = document(bench, letter("Hello from Berlin", pages=3))

    assert "Hello from Berlin" in str(row["content"])
    assert row["page_count"] == 3
    assert row["mime_type"] == "application/pdf"


def test_a_pdf_that_needs_a_password_succeeds_without_text(bench: Bench) -> None:
    row = document(bench, locked_letter("sealed"))

    assert (row["content"], row["page_count"]) == ("", None)
    assert row["archived_file_name"] is None


def test_a_pdf_that_only_its_owner_may_change_is_read(bench: Bench) -> None:
    row = document(bench, owned_letter("open to all"))

    assert "open to all" in str(row["content"])


@pytest.mark.parametrize("share", [0.95, 0.6, 0.3])
def test_a_pdf_that_was_cut_off_succeeds(bench: Bench, share: float) -> None:
    whole = letter("cut off")

    row = document(bench, whole[: int(len(whole) * share)])

    assert row["mime_type"] == "application/pdf"


@pytest.mark.parametrize("content", [letter("a") + bytes(512), b"\n\n" + letter("a")])
def test_dirt_around_a_pdf_does_no_harm(bench: Bench, content: bytes) -> None:
    assert document(bench, content)["page_count"] == 1


def test_text_named_pdf_is_a_text_document(bench: Bench) -> None:
    row = document(bench, b"Only words.\n")

    assert (row["mime_type"], row["content"], row["page_count"]) == ("text/plain", "Only words.", None)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (bytes(16) + bytes(range(256)), "Unsupported mime type application/octet-stream"),
        (b"%PDF-1.4\n" + bytes(range(256)), "InputFileError: "),
    ],
)
def test_noise_is_accepted_and_fails_as_a_task(bench: Bench, content: bytes, reason: str) -> None:
    row = bench.task(bench.upload(content))

    assert row["status"] == "FAILURE"
    assert row["result"].endswith(reason)


@pytest.mark.parametrize(
    ("content", "name", "reason"),
    [
        (b"", "a.pdf", "The submitted file is empty."),
        (b"<!DOCTYPE html><html></html>", "a.pdf", "File type text/html not supported"),
        (b"PK\x03\x04rest", "a.pdf", "File type application/zip not supported"),
        (bytes(64), "a.bin", "File type application/octet-stream not supported"),
    ],
)
def test_known_foreign_types_are_refused_at_once(bench: Bench, content: bytes, name: str, reason: str) -> None:
    reply = bench.post(content, name)

    assert reply.status_code == 400
    assert reply.json() == {"document": [reason]}


@pytest.mark.parametrize(("length", "status"), [(249, "SUCCESS"), (254, "FAILURE")])
def test_a_name_may_be_long_but_not_too_long(bench: Bench, length: int, status: str) -> None:
    row = bench.task(bench.upload(letter("named"), "n" * (length - 4) + ".pdf"))

    assert row["status"] == status


@pytest.mark.parametrize(("version", "archived"), [("3.0.5", False), ("2.20.15", True)])
def test_version_2_makes_a_pdf_of_its_own_even_from_text(version: ServerVersion, *, archived: bool) -> None:
    bench = Bench(version)
    content = letter("read me")
    number = bench.stored(bench.upload(content))
    path = f"/api/documents/{number}/download/"

    plain = bench.alice.get(path).content
    original = bench.alice.get(path, params={"original": "true"}).content
    not_quite = bench.alice.get(path, params={"original": "True"}).content

    assert original == content
    assert (plain != content) == archived
    assert not_quite == plain


def test_little_text_makes_version_3_archive_as_well() -> None:
    bench = Bench()

    row = document(bench, short_letter("hi"))

    assert row["archived_file_name"] is not None


@pytest.mark.parametrize(("version", "algorithm"), [("3.0.5", "sha256"), ("2.20.15", "md5")])
def test_metadata_tell_the_checksum_of_the_upload(version: ServerVersion, algorithm: str) -> None:
    bench = Bench(version)
    content = letter("counted")
    number = bench.stored(bench.upload(content))

    metadata = bench.alice.get(f"/api/documents/{number}/metadata/").json()

    assert metadata["original_checksum"] == hashlib.new(algorithm, content).hexdigest()
    assert metadata["original_size"] == len(content)
    assert metadata["original_filename"] == "letter.pdf"
    assert metadata["has_archive_version"] == (version == "2.20.15")


@pytest.mark.parametrize(
    ("line", "created"),
    [
        ("Berlin, 17.05.2019", "2019-05-17"),
        ("Issued 2021-03-09", "2021-03-09"),
        ("Issued 3 March 2020", "2020-03-03"),
        ("Issued March 3, 2020", "2020-03-03"),
        ("Ends 31.12.2099", "2026-01-05"),
        ("Nothing of the kind", "2026-01-05"),
    ],
)
def test_a_missing_date_is_taken_from_the_text_or_is_today(line: str, created: str) -> None:
    bench = Bench()

    assert document(bench, letter(line))["created"] == created


def test_files_are_on_disk_until_they_are_erased(bench: Bench) -> None:
    number = bench.store("on disk")
    original = f"originals/{number:07}.pdf"
    before = bench.files()
    bench.alice.delete(f"/api/documents/{number}/")
    trashed = bench.files()
    bench.alice.post("/api/trash/", json={"action": "empty", "documents": [number]})

    assert original in before
    assert trashed == before
    assert bench.files() == []
