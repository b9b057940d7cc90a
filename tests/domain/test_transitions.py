"""The moves of a sidecar, and what none of them may do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shared.domain import transitions
from shared.domain.sidecar import KEPT_ERRORS, Failure, Sidecar, State, Verdict
from tests.domain.samples import NOW, document, failures, lease, sidecar, sidecars

FAILURE = Failure(at=NOW, kind="lost", message="database is locked")

Move = Callable[[Sidecar], Sidecar]
MOVES: dict[str, Move] = {
    "add_document": lambda each: transitions.add_document(each, document(9), "revision"),
    "start_submitting": lambda each: transitions.start_submitting(each, lease(), NOW),
    "answer_lost": lambda each: transitions.answer_lost(each, "revision"),
    "submitted": lambda each: transitions.submitted(each, "task", lease()),
    "not_seen": lambda each: transitions.not_seen(each, NOW, "revision"),
    "finish_archived": lambda each: transitions.finish_archived(each, 5, [6], lease()),
    "finish_dead": lambda each: transitions.finish_dead(each, "not_accepted", lease()),
    "renew": lambda each: transitions.renew(each, lease()),
    "failed": lambda each: transitions.failed(each, FAILURE, "revision"),
}
STAY = {"add_document", "answer_lost", "not_seen", "renew"}
EDGES = {
    "start_submitting": State.SUBMITTING,
    "submitted": State.SUBMITTED,
    "finish_archived": State.FINISHING,
    "finish_dead": State.FINISHING,
    "failed": State.QUEUED,
}
moves = st.sampled_from(sorted(MOVES))


@given(sidecars(), moves)
def test_a_move_goes_along_one_edge_only(before: Sidecar, name: str) -> None:
    after = MOVES[name](before)

    assert after.state is (before.state if name in STAY else EDGES[name])


@given(sidecars(), moves)
def test_no_move_forgets_a_document_an_error_or_whose_bytes_these_are(before: Sidecar, name: str) -> None:
    after = MOVES[name](before)

    assert after.documents[: len(before.documents)] == before.documents
    assert after.key == before.key
    assert (after.errors == before.errors) if name != "failed" else (after.errors[-1] == FAILURE)


@given(sidecars(), moves)
def test_every_move_can_be_told_from_the_state_before(before: Sidecar, name: str) -> None:
    assume(before.revision not in ("revision", "nonce-2"))

    assert MOVES[name](before).revision != before.revision


@given(sidecars(), moves)
def test_what_a_move_makes_can_be_read_back(before: Sidecar, name: str) -> None:
    after = MOVES[name](before)

    assert Sidecar.parse(after.to_json(), after.key) == after


@given(sidecars(), st.lists(failures, min_size=1, max_size=30))
def test_the_history_is_bounded_and_only_charges_count(before: Sidecar, trouble: list[Failure]) -> None:
    after = before
    for failure in trouble:
        after = transitions.failed(after, failure, "revision")

    assert len(after.errors) <= KEPT_ERRORS
    assert after.errors[-1] == trouble[-1]
    assert after.retry_count == before.retry_count + sum(failure.charged for failure in trouble)


@given(sidecars(), st.integers(2, 6))
def test_no_two_attempts_have_the_same_file_name(before: Sidecar, attempts: int) -> None:
    names, current = set(), before
    for _ in range(attempts):
        current = transitions.start_submitting(current, lease(), NOW)
        names.add(current.submitting.file_name if current.submitting else "")

    assert len(names) == attempts


def test_attempts_without_an_outcome_add_up() -> None:
    current = sidecar()
    for expected in (1, 2, 3):
        current = transitions.start_submitting(current, lease(), NOW)

        assert current.crashes == expected


@pytest.mark.parametrize("outcome", ["answer_lost", "submitted", "failed"])
def test_any_outcome_ends_the_count(outcome: str) -> None:
    tried = transitions.start_submitting(transitions.start_submitting(sidecar(), lease(), NOW), lease(), NOW)

    again = transitions.start_submitting(MOVES[outcome](tried), lease(), NOW)

    assert again.crashes == 1


def test_going_back_gives_up_task_and_lease() -> None:
    after = transitions.failed(transitions.submitted(sidecar(), "task", lease()), FAILURE, "revision")

    assert (after.task_id, after.lease, after.last_error) == (None, None, "database is locked")


@given(sidecars())
def test_the_single_fields_stay_those_of_the_first_document(before: Sidecar) -> None:
    after = transitions.add_document(before, document(9), "revision")

    assert after.bilko_document_id == before.bilko_document_id
    assert after.documents[0] == before.documents[0]


def test_the_verdict_says_what_a_frozen_sidecar_is_finished_as() -> None:
    archived = transitions.finish_archived(sidecar(), 5, (6, 7), lease())
    dead = transitions.finish_dead(sidecar(), "refused_twin", lease(), kept=True)

    assert (archived.verdict, archived.paperless_document_id, archived.surplus) == (Verdict.ARCHIVED, 5, (6, 7))
    assert (dead.verdict, dead.reason, dead.kept) == (Verdict.DEAD, "refused_twin", True)
