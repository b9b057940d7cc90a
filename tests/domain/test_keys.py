"""Keys, and the ids that name them outside."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.keys import DocumentType, ObjectKey
from tests.domain.samples import KEY, keys


@given(keys)
def test_a_key_is_read_back_from_each_of_its_names(key: ObjectKey) -> None:
    assert {ObjectKey.parse(name) for name in (key.stem, key.pdf, key.sidecar)} == {key}


@given(keys)
def test_a_job_id_leads_back_to_its_key_and_needs_no_escaping_in_a_path(key: ObjectKey) -> None:
    assert ObjectKey.from_job_id(key.job_id) == key
    assert key.job_id.replace("-", "").replace("_", "").isalnum()


@given(st.sets(keys, min_size=2, max_size=6))
def test_no_two_documents_share_a_name_anywhere(some: set[ObjectKey]) -> None:
    for one, other in combinations(some, 2):
        assert not set(_names(one)) & set(_names(other))


@given(keys)
def test_control_objects_never_pass_for_documents(key: ObjectKey) -> None:
    for name in (*key.tombstones, *key.pauses, key.priority_marker):
        assert ObjectKey.parse(name) is None


@given(st.text(max_size=300) | st.binary(max_size=200).map(lambda raw: raw.decode("latin-1")))
def test_any_other_text_is_no_job(text: str) -> None:
    assert ObjectKey.from_job_id(text) is None


@pytest.mark.parametrize(
    "name",
    [
        KEY.pdf.upper(),
        KEY.pdf + "x",
        "x" + KEY.pdf,
        KEY.pdf.replace("invoice", "receipt"),
        KEY.pdf.replace("ab", "AB"),
        KEY.pdf + "\n",
        f"kept/{KEY.pdf}",
        "",
    ],
)
def test_what_only_looks_like_a_key_is_none(name: str) -> None:
    assert ObjectKey.parse(name) is None


def test_a_second_spelling_of_a_job_id_is_refused() -> None:
    padded = KEY.job_id + "=" * (-len(KEY.job_id) % 4)

    assert ObjectKey.from_job_id(padded + "====") is None


def test_document_types_read_well_in_titles() -> None:
    assert [kind.label for kind in DocumentType][:3] == ["Invoice", "Contract", "Care plan"]


def _names(key: ObjectKey) -> tuple[str, ...]:
    return key.pdf, key.sidecar, key.job_id, key.priority_marker, key.tombstones[1]
