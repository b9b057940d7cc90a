"""What a server finds in a PDF: its text, its pages, and a date if the text has one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from typing import Any

_OBJECT = re.compile(rb"\d+ \d+ obj\b")
_NEEDS_PASSWORD = 4
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january januar jan",
            "february februar feb",
            "march märz maerz mar",
            "april apr",
            "may mai",
            "june juni jun",
            "july juli jul",
            "august aug",
            "september sept sep",
            "october oktober oct okt",
            "november nov",
            "december dezember dec dez",
        ),
        start=1,
    )
    for name in names.split()
}
_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY_FIRST = re.compile(r"(?<![\d.])(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?!\d)")
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})[./-](\d{1,2})[./-](\d{1,2})(?!\d)")
_DAY_MONTH = re.compile(rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|\.)?\s+({_NAMES})\.?,?\s+(\d{{4}})(?!\d)", re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b({_NAMES})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})(?!\d)", re.IGNORECASE)


class Unreadable(ValueError):
    """There is a header and nothing behind it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The text and the number of pages, which is unknown for a PDF that needs a password."""

    text: str
    pages: int | None


def read(content: bytes) -> Reading:
    """Damaged files are read as far as they go; only where no object is left is there nothing to read."""
    # Loaded at the first PDF: a server that is given none starts without it.
    pdfium = import_module("pypdfium2")
    try:
        pdf = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        if error.err_code == _NEEDS_PASSWORD or _OBJECT.search(content):
            return Reading("", None)
        raise Unreadable from error
    try:
        return Reading("\n".join(_texts(pdf)).strip(), len(pdf))
    finally:
        pdf.close()


def _texts(pdf: Any) -> list[str]:
    """Any: the PDF library has no types of its own."""
    texts = []
    for page in pdf:
        shown = page.get_textpage()
        texts.append(shown.get_text_range().replace("\r\n", "\n"))
        shown.close()
        page.close()
    return texts


def first_date(text: str, today: date) -> date | None:
    """The first date in the text that exists and is not in the future; days come before months."""
    found: list[tuple[int, date]] = []
    for place, year, month, day in _mentions(text):
        try:
            mentioned = date(year, month, day)
        except ValueError:
            continue
        if mentioned.year > 1900 and mentioned <= today:
            found.append((place, mentioned))
    return min(found, default=(0, None))[1]


def _mentions(text: str) -> list[tuple[int, int, int, int]]:
    found = [(m.start(), int(m[1]), int(m[2]), int(m[3])) for m in _YEAR_FIRST.finditer(text)]
    for m in _DAY_FIRST.finditer(text):
        day, month, year = int(m[1]), int(m[2]), int(m[3]) + (2000 if len(m[3]) == 2 else 0)
        found.append((m.start(), year, day, month) if month > 12 else (m.start(), year, month, day))
    found += [(m.start(), int(m[3]), _MONTHS[m[2].lower()], int(m[1])) for m in _DAY_MONTH.finditer(text)]
    found += [(m.start(), int(m[3]), _MONTHS[m[1].lower()], int(m[2])) for m in _MONTH_DAY.finditer(text)]
    return found
