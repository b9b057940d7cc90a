"""The sidecar as it lies in the bucket."""

from __future__ import annotations

import json
from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.keys import DocumentType, ObjectKey
from shared.domain.sidecar import Sidecar, State, Submission, UnreadableSidecar
from tests.domain.samples import KEY, LATER, NOW, lease, sidecar, sidecars


@given(sidecars())
def test_what_is_written_is_read_back_the_same(written: Sidecar) -> None:
    assert Sidecar.parse(written.to_json(), written.key) == written


@given(sidecars(), st.dictionaries(st.from_regex(r"x[A-Za-z]{1,10}", fullmatch=True), st.integers() | st.text()))
def test_fields_of_a_later_version_are_carried_along(written: Sidecar, strange: dict[str, object]) -> None:
    raw = json.dumps({**json.loads(written.to_json()), **strange}).encode()

    rewritten = json.loads(Sidecar.parse(raw, written.key).to_json())

    assert {name: rewritten[name] for name in strange} == strange


def test_a_strange_field_inside_a_document_is_carried_along_too() -> None:
    raw = json.loads(sidecar().to_json())
    raw["documents"][0]["costCentre"] = "42"

    rewritten = json.loads(Sidecar.parse(json.dumps(raw).encode(), KEY).to_json())

    assert rewritten["documents"][0]["costCentre"] == "42"


@given(st.binary(max_size=200))
def test_any_other_bytes_are_called_unreadable_and_nothing_worse(raw: bytes) -> None:
    with pytest.raises(UnreadableSidecar) as refused:
        Sidecar.parse(raw, KEY)

    assert refused.value.reason == "sidecar_broken"


@pytest.mark.parametrize("version", ["2", "", 1, None])
def test_another_schema_version_is_named_as_such_whatever_else_it_changed(version: object) -> None:
    raw = json.dumps({"schemaVersion": version, "everything": "else"}).encode()

    with pytest.raises(UnreadableSidecar) as refused:
        Sidecar.parse(raw, KEY)

    assert refused.value.reason == "sidecar_newer"


def test_a_sidecar_under_another_key_is_refused() -> None:
    elsewhere = ObjectKey(UUID(int=8), DocumentType.INVOICE, KEY.sha256)

    with pytest.raises(UnreadableSidecar) as refused:
        Sidecar.parse(sidecar().to_json(), elsewhere)

    assert refused.value.reason == "sidecar_mismatch"


def test_a_time_without_a_zone_is_broken_not_a_surprise_in_the_middle_of_a_run() -> None:
    raw = sidecar().to_json().replace(b'"2026-05-08T12:00:00Z"', b'"2026-05-08T12:00:00"')

    with pytest.raises(UnreadableSidecar) as refused:
        Sidecar.parse(raw, KEY)

    assert refused.value.reason == "sidecar_broken"


def test_the_names_in_the_file_are_those_of_the_first_specification() -> None:
    names = json.loads(sidecar().to_json())

    assert {"schemaVersion", "r2Uuid", "organizationId", "bilkoDocumentId", "retryCount", "lastError"} <= names.keys()


def test_a_lease_keeps_others_away_until_it_ends_and_never_its_owner() -> None:
    held = sidecar(lease=lease(owner="run-1"))

    assert held.leased_to_another("run-2", LATER - timedelta(seconds=1))
    assert not held.leased_to_another("run-2", LATER)
    assert not held.leased_to_another("run-1", NOW)


@pytest.mark.parametrize(
    ("state", "answer", "crashes"),
    [
        (State.SUBMITTING, "unknown", 3),
        (State.SUBMITTING, "lost", 0),
        (State.SUBMITTED, "unknown", 0),
        (State.QUEUED, "unknown", 0),
    ],
)
def test_only_an_attempt_that_nobody_lived_to_see_counts_as_a_crash(state: State, answer: str, crashes: int) -> None:
    submitting = Submission(file_name="a.pdf", at=NOW, attempt=3, answer_lost=answer == "lost")

    assert sidecar(state=state, submitting=submitting, unresolved=2).crashes == crashes
