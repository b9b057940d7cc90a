"""PDFs to upload, made in code: plain ones, protected ones, and what is left of a broken one."""

from __future__ import annotations

import io

import pikepdf

PARAGRAPH = "This page says more than fifty characters, so that a server need not look at it as a picture."


def letter(*lines: str, pages: int = 1) -> bytes:
    """A small text PDF that differs with its lines."""
    return _saved(_written(lines, pages))


def locked_letter(*lines: str) -> bytes:
    """Opens with a password only."""
    return _saved(_written(lines, 1), pikepdf.Encryption(user="secret", owner="secret"))


def owned_letter(*lines: str) -> bytes:
    """Opens without a password; only changing it takes one."""
    return _saved(_written(lines, 1), pikepdf.Encryption(user="", owner="secret"))


def heavy_letter(line: str, size: int) -> bytes:
    """With so many bytes inside that nobody looks at."""
    pdf = _written((line,), 1)
    pdf.Root.Weight = pdf.make_stream(bytes(size))
    return _saved(pdf)


def short_letter(word: str) -> bytes:
    """Too little text to count as written by a computer."""
    return _saved(_written((word,), 1, paragraph=""))


def _written(lines: tuple[str, ...], pages: int, paragraph: str = PARAGRAPH) -> pikepdf.Pdf:
    pdf = pikepdf.new()
    font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
    for number in range(pages):
        shown = "".join(f"({line}) Tj T* " for line in (*lines, paragraph, f"Page {number + 1}"))
        page = pdf.add_blank_page(page_size=(595, 842))
        page.Contents = pdf.make_stream(f"BT /F1 12 Tf 14 TL 72 770 Td {shown}ET".encode("ascii"))
        page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=pdf.make_indirect(font)))
    return pdf


def _saved(pdf: pikepdf.Pdf, encryption: pikepdf.Encryption | None = None) -> bytes:
    buffer = io.BytesIO()
    pdf.save(buffer, encryption=encryption or False, deterministic_id=encryption is None, compress_streams=False)
    pdf.close()
    return buffer.getvalue()
