"""Which paths a pattern fits, and what it reads from them."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shared.http.paths import Pattern

SEGMENT = st.text(st.characters(exclude_characters="/{}"), min_size=1, max_size=8)
NAME = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)
PIECES = st.lists(st.one_of(SEGMENT, NAME.map(lambda name: "{" + name + "}")), min_size=1, max_size=5)


@given(PIECES, st.data())
def test_a_path_written_from_a_pattern_gives_its_parameters_back(pieces: list[str], data: st.DataObject) -> None:
    names = [piece[1:-1] for piece in pieces if piece.startswith("{")]
    assume(len(set(names)) == len(names))
    values = {name: data.draw(SEGMENT) for name in names}

    path = "/" + "/".join(values[piece[1:-1]] if piece.startswith("{") else piece for piece in pieces)

    assert Pattern.parse("/" + "/".join(pieces)).match(path) == values


@given(st.lists(SEGMENT, min_size=1, max_size=5), st.text(max_size=20))
def test_a_pattern_without_parameters_fits_itself_only(pieces: list[str], path: str) -> None:
    text = "/" + "/".join(pieces)

    fits = Pattern.parse(text).match("/" + path) is not None

    assert fits == (text == "/" + path)


@given(st.lists(st.sampled_from(["a", "b", "{x}"]), min_size=2, max_size=2), st.sampled_from(["a", "b", "c"]))
def test_a_literal_sorts_before_a_parameter(pieces: list[str], last: str) -> None:
    exact, open_ended = Pattern.parse(f"/{pieces[0]}/{last}"), Pattern.parse(f"/{pieces[0]}/{{y}}")

    assert exact.shape < open_ended.shape


@pytest.mark.parametrize("text", ["", "a", "/a/{b}/{b}", "/a{b}", "/{B}", "/{b", "/b}", "/{}"])
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a path pattern"):
        Pattern.parse(text)
