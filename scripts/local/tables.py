"""Tables that fit: columns as wide as what is in them, the widest cut first when the terminal is too narrow."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

GAP = "  "
NARROWEST = 4


def columns_here() -> int | None:
    """The width of the terminal that is written to; None if it is none, and nothing needs to be cut."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def table(heading: Sequence[str], rows: Sequence[Sequence[str]], columns: int | None) -> list[str]:
    """The lines of a table, its heading first, none longer than `columns`."""
    cells = [[_one_line(cell) for cell in row] for row in (heading, *rows)]
    widths = _fitted([max(map(len, column)) for column in zip(*cells, strict=True)], columns)
    return [GAP.join(_cell(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def _fitted(widths: list[int], columns: int | None) -> list[int]:
    """Take from the widest until all fit, but leave something of each to see."""
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - (columns or sys.maxsize)
    while excess > 0 and max(widths) > NARROWEST:
        widest = widths.index(max(widths))
        widths[widest] -= 1
        excess -= 1
    return widths


def _cell(text: str, width: int) -> str:
    return text.ljust(width) if len(text) <= width else text[: width - 1] + "…"


def _one_line(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
