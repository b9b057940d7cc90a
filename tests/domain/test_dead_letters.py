"""How dead letters are asked for, what the reasons mean, and what a watch calls news."""

from __future__ import annotations

import ast
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import shared.services
from shared.domain import transitions
from shared.domain.audit import Disposition
from shared.domain.dead_letter_reasons import MEANINGS, UNKNOWN, meaning_of, twin_of
from shared.domain.dead_letters import Cursor, LetterFilter, LetterQuery, Standing, scope_of
from shared.domain.errors import InvalidInput
from shared.domain.holds import Hold
from shared.domain.keys import DocumentType, ObjectKey
from shared.domain.pauses import Pause
from shared.domain.redrive import DiscardRequest, RedriveRequest, Selection
from shared.domain.sidecar import KEPT_ERRORS, Redrive, Sidecar, State, UnreadableSidecar
from shared.domain.watch import QUIET_ENDS_IT, WatchState, fresh
from tests.domain.samples import KEY, NOW, keys, sidecar, sidecars, texts

filters = st.builds(
    LetterFilter,
    organization_id=st.none() | st.uuids(),
    document_type=st.none() | st.sampled_from(DocumentType),
    reason=st.none() | st.sampled_from(sorted(MEANINGS)),
    min_age_hours=st.none() | st.floats(0, 1000),
)


@given(keys, filters)
def test_what_a_filter_admits_begins_with_its_prefix(key: ObjectKey, wanted: LetterFilter) -> None:
    assert not wanted.admits(key, NOW, NOW + timedelta(days=365)) or key.pdf.startswith(wanted.prefix)


@given(keys)
def test_a_filter_that_names_a_letter_admits_it_from_the_age_on_that_it_asks_for(key: ObjectKey) -> None:
    wanted = LetterFilter(organization_id=key.organization_id, document_type=key.document_type, min_age_hours=24)

    ages = [wanted.admits(key, NOW, NOW + timedelta(hours=hours)) for hours in (23.9, 24, 25)]

    assert ages == [False, True, True]
    assert LetterFilter().admits(key, NOW, NOW)


@given(filters, texts)
def test_a_cursor_leads_back_to_where_it_was_made(wanted: LetterFilter, after: str) -> None:
    scope = scope_of(wanted)

    assert Cursor.open(Cursor(scope=scope, after=after).text(), scope) == after


@given(filters, filters)
def test_a_cursor_opens_its_own_filter_only(one: LetterFilter, other: LetterFilter) -> None:
    cursor = Cursor(scope=scope_of(one), after="x").text()

    if one == other:
        assert Cursor.open(cursor, scope_of(other)) == "x"
    else:
        with pytest.raises(InvalidInput):
            Cursor.open(cursor, scope_of(other))


@given(st.text(max_size=60))
def test_any_other_text_is_no_cursor(text: str) -> None:
    with pytest.raises(InvalidInput):
        Cursor.open(text, "scope")


def test_the_length_of_a_page_may_change_under_a_cursor() -> None:
    first, second = LetterQuery(limit=10), LetterQuery(limit=20)

    assert scope_of(first.wanted) == scope_of(second.wanted)


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": 101}, {"reason": "a b"}, {"minAgeHours": -1}, {"page": 2}])
def test_a_query_that_cannot_be_meant_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        LetterQuery.model_validate(wrong)


def reasons_in_use() -> set[str]:
    """Every text given as a reason to those who bury, in the source of the services and of the sidecar."""
    found: set[str] = set()
    sources = [*Path(shared.services.__path__[0]).glob("*.py"), Path(transitions.__file__).with_name("sidecar.py")]
    for tree in (ast.parse(path.read_text()) for path in sources):
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = getattr(call.func, "id", "")
            texts = [part.value for part in call.args if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            if name in ("bury", "charge", UnreadableSidecar.__name__):
                found.update(texts[:1])
            found.update(
                str(each.value.value)
                for each in call.keywords
                if name == Sidecar.__name__ and each.arg == "reason" and isinstance(each.value, ast.Constant)
            )
    return found


def test_every_reason_that_is_used_has_a_meaning_and_every_meaning_is_used() -> None:
    # `sidecar_newer` and `sidecar_broken` are returned by a function, where no call shows them.
    assert reasons_in_use() | {"sidecar_newer", "sidecar_broken"} == set(MEANINGS)


def test_every_meaning_is_a_sentence_with_three_moves() -> None:
    for meaning in (*MEANINGS.values(), UNKNOWN):
        assert meaning.words.endswith(".")
        assert len(meaning.moves) == 3
        assert all(move.endswith((".", "?")) for move in meaning.moves)


def test_an_unknown_reason_is_said_to_be_unknown() -> None:
    assert (meaning_of(None), meaning_of("cosmic_rays")) == (UNKNOWN, UNKNOWN)


@pytest.mark.parametrize(
    ("message", "twin"),
    [
        ("t.pdf: Not consuming t.pdf: It is a duplicate of dup1 (#42).", 42),
        ("Not consuming: It is a duplicate of document #51", 51),
        ("It is a duplicate of Invoice #7 (#42). Note: existing document is in the trash.", 42),
        ("UNIQUE constraint failed: documents_document.checksum", None),
        (None, None),
    ],
)
def test_the_twin_is_read_from_what_paperless_said(message: str | None, twin: int | None) -> None:
    assert twin_of(message) == twin


@given(sidecars(), texts)
def test_a_letter_sent_back_is_queued_anew_and_keeps_its_history(letter: Sidecar, actor: str) -> None:
    queued = transitions.redriven(letter, Redrive(at=NOW, actor=actor), "nonce")

    assert (queued.state, queued.retry_count, queued.submissions, queued.crashes) == (State.QUEUED, 0, 0, 0)
    assert (queued.verdict, queued.reason, queued.lease, queued.task_id) == (None, None, None, None)
    assert (queued.errors, queued.documents, queued.attempts) == (letter.errors, letter.documents, letter.attempts)
    assert queued.redrives[-1].actor == actor
    assert Sidecar.parse(queued.to_json(), queued.key) == queued


@given(sidecars(), sidecars())
def test_what_joins_keeps_every_document_of_both_and_a_bounded_history(live: Sidecar, letter: Sidecar) -> None:
    joined = transitions.joined(live, letter, Redrive(at=NOW, actor="somebody"), "nonce")

    wanted = {each.bilko_document_id for each in (*live.documents, *letter.documents)}
    assert {each.bilko_document_id for each in joined.documents} == wanted
    assert len(joined.errors) <= KEPT_ERRORS
    assert joined.errors[-len(live.errors) :] == live.errors or not live.errors
    assert (joined.state, joined.lease, joined.retry_count) == (live.state, live.lease, live.retry_count)


def test_fields_of_a_later_version_survive_a_redrive() -> None:
    letter = Sidecar.model_validate_json(sidecar().to_json()[:-1] + b',"colour":"red"}')

    queued = transitions.redriven(letter, Redrive(at=NOW, actor="somebody"), "nonce")

    assert b'"colour":"red"' in queued.to_json()


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"all": False},
        {"ids": []},
        {"ids": ["a"], "all": True},
        {"filter": {}},
        {"filter": {"reason": "refused"}, "all": True},
        {"ids": ["a"] * 501},
        {"filter": {"unknown": 1}},
    ],
)
def test_a_selection_says_in_exactly_one_way_what_is_meant(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Selection.model_validate(wrong)


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u00a0\u2003"])
def test_blanks_are_neither_a_reason_nor_a_name(blank: str) -> None:
    for model, given_ in (
        (DiscardRequest, {"reason": blank, "actor": "a"}),
        (RedriveRequest, {"all": True, "actor": blank}),
    ):
        with pytest.raises(ValidationError):
            model.model_validate(given_)


def test_the_least_settled_document_speaks_for_its_letter() -> None:
    def overall(*dispositions: Disposition) -> Disposition | None:
        return Standing(object_key=KEY.pdf, documents={uuid4(): each for each in dispositions}).overall

    assert overall() is None
    assert overall(Disposition.ARCHIVED, Disposition.DEAD) is Disposition.DEAD
    assert overall(Disposition.ARCHIVED, Disposition.QUEUED) is Disposition.QUEUED
    assert all(overall(each) is each for each in Disposition)


def test_a_standing_of_something_that_is_no_key_is_refused() -> None:
    with pytest.raises(InvalidInput):
        _ = Standing(object_key="control/watch.json", documents={}).key


def test_a_hold_covers_its_document_or_everything() -> None:
    hold = Hold(id=UUID(int=1), organization_id=UUID(int=2), reason="r", actor="a", placed_at=NOW)
    on_one = hold.model_copy(update={"document_id": UUID(int=3)})

    assert hold.covers([])
    assert on_one.covers([UUID(int=3)])
    assert not on_one.covers([UUID(int=4)])


def test_a_pause_alerts_once_for_each_whole_day() -> None:
    pause = Pause(organization_id=None, reason=None, actor=None, since=NOW, age_seconds=0)
    hours = [0, 12, 23.9, 24, 25, 47.9, 48.1, 60]
    moments = [NOW + timedelta(hours=each) for each in hours]

    alerts = [pause.alerts(before, now) for before, now in pairwise(moments)]

    assert alerts == [False, False, True, False, False, True, False]


def test_the_same_cause_within_half_an_hour_is_the_same_incident() -> None:
    soon, late = NOW + QUIET_ENDS_IT, NOW + 2 * QUIET_ENDS_IT + timedelta(seconds=1)

    first, incidents = fresh({}, {"a"}, NOW)
    second, incidents = fresh(incidents, {"a", "b"}, soon)
    third, incidents = fresh(incidents, {"a"}, late)

    assert [first, second, third] == [{"a"}, {"b"}, {"a"}]
    assert set(incidents) == {"a"}


@given(st.text(max_size=40), st.integers(0, 10))
def test_what_a_watch_remembers_is_read_back(identifier: str, seconds: int) -> None:
    state = WatchState(watched_at=NOW, newest=NOW, incidents={"a": NOW})

    again = WatchState.parse(state.model_dump_json(by_alias=True).encode())

    assert again == state
    assert again.is_news(identifier, NOW + timedelta(seconds=seconds))
