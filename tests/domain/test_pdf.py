"""What counts as a whole PDF that opens."""

from __future__ import annotations

import hashlib
import io

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.local.sample_documents import pdf
from shared.domain.errors import InvalidInput
from shared.domain.pdf import KEPT_HEAD, KEPT_TAIL, PdfScan
from tests.stand_ins.papers import letter, locked_letter, owned_letter

SMALL = pdf("An invoice")


def scan(content: bytes, cuts: list[int] | None = None) -> PdfScan:
    scanned, start = PdfScan(), 0
    for cut in [*sorted(cuts or []), len(content)]:
        scanned.feed(content[start:cut])
        start = max(start, cut)
    return scanned


def verdict(scanned: PdfScan, *, allow_encrypted: bool = False) -> str:
    try:
        scanned.check(allow_encrypted=allow_encrypted)
    except InvalidInput as exc:
        return f"{exc.field}: {exc.message}"
    return "whole"


def saved(*, streams: bool, padding: int = 0, encryption: pikepdf.Encryption | None = None) -> bytes:
    buffer, document = io.BytesIO(), pikepdf.new()
    document.add_blank_page()
    if padding:
        document.Root.Padding = document.make_stream(bytes(range(256)) * (padding // 256))
    mode = pikepdf.ObjectStreamMode.generate if streams else pikepdf.ObjectStreamMode.disable
    document.save(buffer, object_stream_mode=mode, encryption=encryption or False, compress_streams=False)
    document.close()
    return buffer.getvalue()


PROTECTED = {
    "a password to open": pikepdf.Encryption(user="secret", owner="secret"),
    "a password to change": pikepdf.Encryption(user="", owner="secret"),
    "the oldest cipher": pikepdf.Encryption(user="secret", owner="secret", R=3, aes=False, metadata=False),
}


@given(st.lists(st.integers(0, len(SMALL)), max_size=8))
def test_in_which_pieces_the_bytes_come_does_not_matter(cuts: list[int]) -> None:
    scanned = scan(SMALL, cuts)

    assert (scanned.size, scanned.sha256) == (len(SMALL), hashlib.sha256(SMALL).hexdigest())
    assert scanned.md5 == hashlib.md5(SMALL, usedforsecurity=False).hexdigest()
    assert verdict(scanned) == "whole"


@settings(max_examples=20)
@given(st.lists(st.integers(0, KEPT_TAIL + 2 * KEPT_HEAD), max_size=5))
def test_nor_for_a_large_one_whose_middle_is_forgotten(cuts: list[int]) -> None:
    content = LARGE_PROTECTED

    assert "encrypted" in verdict(scan(content, cuts))


@given(st.integers(0, len(SMALL)))
def test_cut_off_anywhere_it_is_refused_unless_its_end_is_still_there(length: int) -> None:
    cut = SMALL[:length]

    assert (verdict(scan(cut)) == "whole") == (b"%%EOF" in cut)


@pytest.mark.parametrize("table", ["classic", "stream"])
@pytest.mark.parametrize("protection", PROTECTED)
@pytest.mark.parametrize("padding", [0, KEPT_HEAD * 2, KEPT_TAIL * 2])
def test_encryption_is_noticed(table: str, protection: str, padding: int) -> None:
    content = saved(streams=table == "stream", padding=padding, encryption=PROTECTED[protection])

    assert "encrypted" in verdict(scan(content))
    assert verdict(scan(content), allow_encrypted=True) == "whole"


@pytest.mark.parametrize("table", ["classic", "stream"])
@pytest.mark.parametrize("padding", [0, KEPT_HEAD * 2, KEPT_TAIL * 2])
def test_a_plain_pdf_is_never_called_encrypted(table: str, padding: int) -> None:
    assert verdict(scan(saved(streams=table == "stream", padding=padding))) == "whole"


@given(st.text(st.characters(codec="ascii", exclude_characters="()\\"), max_size=60))
def test_nor_one_that_only_speaks_of_encryption(words: str) -> None:
    assert verdict(scan(letter(f"/Encrypt 12 0 R {words}".replace("\r", " ").replace("\n", " ")))) == "whole"


def test_letters_that_are_protected_are_noticed_however_they_were_made() -> None:
    assert "encrypted" in verdict(scan(locked_letter("Pay slip")))
    assert "encrypted" in verdict(scan(owned_letter("Pay slip")))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "the file is empty"),
        (b"PK\x03\x04" + bytes(100), "the file is not a PDF"),
        (b"<html>%%EOF", "the file is not a PDF"),
        (b"%PDF-1.7\n" + bytes(5000), "the PDF is truncated"),
        (b"%PDF-1.7\n%%EOF" + bytes(5000), "the PDF is truncated"),
    ],
)
def test_what_is_no_whole_pdf_is_told_why(content: bytes, complaint: str) -> None:
    assert verdict(scan(content)).startswith(f"document: {complaint}")


def test_blank_lines_before_and_after_are_common_and_fine() -> None:
    assert verdict(scan(b"\n\n" + SMALL + bytes(64))) == "whole"


LARGE_PROTECTED = saved(streams=True, padding=KEPT_TAIL + KEPT_HEAD, encryption=PROTECTED["a password to open"])
