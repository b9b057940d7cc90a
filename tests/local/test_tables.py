"""Tables keep to the width they are given."""

from __future__ import annotations

import pytest

from scripts.local.tables import table

HEADING = ("ID", "ORGANISATION", "WHAT")
ROWS = [("a1", "Firma AS", "too large for Paperless to take"), ("b2", "Other", "")]


def test_columns_are_as_wide_as_what_is_in_them() -> None:
    assert table(HEADING, ROWS, None) == [
        "ID  ORGANISATION  WHAT",
        "a1  Firma AS      too large for Paperless to take",
        "b2  Other",
    ]


@pytest.mark.parametrize("columns", [20, 34, 40, 80])
def test_no_line_is_longer_than_the_terminal_is_wide(columns: int) -> None:
    lines = table(HEADING, ROWS, columns)

    assert max(map(len, lines)) <= columns


def test_the_widest_column_is_cut_first_and_shows_that_it_was() -> None:
    assert table(HEADING, ROWS, 30)[1] == "a1  Firma AS      too large f…"


def test_what_would_break_a_line_or_move_the_cursor_is_shown_as_a_space() -> None:
    assert table(("A",), [("one\ntwo\tthree\x1b[2Jfour",)], None)[1] == "one two three [2Jfour"
