"""What is sent to Paperless, and what must come back."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from uuid import UUID

import pytest
from hypothesis import given

from shared.domain.keys import DocumentType
from shared.domain.paperless import (
    TEXT_LIMIT,
    TITLE_LIMIT,
    ArchivedDocument,
    Expectation,
    FieldIds,
    Labels,
    Mismatch,
    Names,
    ServerVersion,
    TaskStatus,
    field_values,
    title,
)
from shared.domain.sidecar import Sidecar
from tests.domain.samples import KEY, sidecar, sidecars

FIELDS = FieldIds(source_uuid=1, organization=2, document=3)
LABELS = Labels(correspondent=10, document_type=11, organization_tag=20, type_tag=21, source_tag=22, fields=FIELDS)
STORED = ArchivedDocument(
    id=5,
    tags=frozenset(LABELS.tags),
    correspondent=10,
    fields={1: KEY.sha256, 2: str(KEY.organization_id), 3: str(UUID(int=1))},
    checksum=KEY.sha256,
)
EXPECTED = Expectation(KEY.sha256, LABELS, KEY.sha256, str(KEY.organization_id), frozenset({str(UUID(int=1))}))


@given(sidecars())
def test_a_title_never_exceeds_what_paperless_keeps_and_always_ends_in_its_date(each: Sidecar) -> None:
    text = title(each)

    assert len(text) <= TITLE_LIMIT
    assert date.fromisoformat(text[-10:]) == each.timestamp.date()
    assert text.startswith(f"{each.document_type.label} — ")


def test_a_title_reads_as_the_specification_has_it() -> None:
    assert title(sidecar()) == "Invoice — Firma AS 2026-05-08"


def test_a_long_name_gives_way_and_nothing_else_does() -> None:
    text = title(sidecar(organization_name="Å" * 300))

    assert len(text) == TITLE_LIMIT
    assert text.endswith("Å 2026-05-08")


@given(sidecars())
def test_every_field_value_is_a_text_that_fits(each: Sidecar) -> None:
    values = field_values(each, FIELDS)

    assert values.keys() == {1, 2, 3}
    assert all(0 < len(value) <= TEXT_LIMIT for value in values.values())


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, ()),
        ({"tags": STORED.tags | {99}}, ()),
        ({"tags": frozenset({20, 22})}, (Mismatch.TAGS,)),
        ({"correspondent": 11}, (Mismatch.CORRESPONDENT,)),
        ({"correspondent": None}, (Mismatch.CORRESPONDENT,)),
        ({"fields": {**STORED.fields, 1: "ff" * 32}}, (Mismatch.FIELDS,)),
        ({"fields": {**STORED.fields, 2: str(UUID(int=8))}}, (Mismatch.FIELDS,)),
        ({"fields": {**STORED.fields, 3: str(UUID(int=2))}}, (Mismatch.FIELDS,)),
        ({"fields": {1: KEY.sha256, 2: str(KEY.organization_id)}}, (Mismatch.FIELDS,)),
    ],
)
def test_a_stored_document_is_as_it_was_sent_or_is_told_what_differs(
    change: dict[str, object], wrong: tuple[Mismatch, ...]
) -> None:
    found = replace(STORED, **change)  # type: ignore[arg-type]

    assert EXPECTED.mismatches(found, KEY.sha256, ["inbox"]) == wrong


def test_another_checksum_is_another_document() -> None:
    assert EXPECTED.mismatches(STORED, "ff" * 32, []) == (Mismatch.CHECKSUM,)
    assert EXPECTED.mismatches(STORED, "", []) == (Mismatch.CHECKSUM,)
    assert EXPECTED.mismatches(STORED, KEY.sha256.upper(), []) == ()


def test_a_foreign_organisations_tag_is_never_fine() -> None:
    assert EXPECTED.mismatches(STORED, KEY.sha256, ["inbox", "org:other"]) == (Mismatch.FOREIGN_ORGANIZATION,)


def test_a_document_found_but_not_sent_by_this_job_may_be_another_documents_of_the_application() -> None:
    found = replace(STORED, fields={**STORED.fields, 3: str(UUID(int=2))})

    assert replace(EXPECTED, document_ids=None).mismatches(found, KEY.sha256, []) == ()


@pytest.mark.parametrize(
    ("major", "minor", "taken", "algorithm"),
    [
        (1, 17, False, "md5"),
        (2, 19, False, "md5"),
        (2, 20, True, "md5"),
        (3, 0, True, "sha256"),
        (4, 0, False, "sha256"),
    ],
)
def test_versions_we_know_and_what_they_hash_with(major: int, minor: int, taken: object, algorithm: str) -> None:
    version = ServerVersion(major, minor)

    assert (version.supported, version.checksum_algorithm) == (taken, algorithm)


def test_only_success_and_failure_are_final() -> None:
    assert {status for status in TaskStatus if status.final} == {TaskStatus.SUCCESS, TaskStatus.FAILURE}


def test_names_are_derived_from_one_prefix_and_keep_the_seeds_spelling() -> None:
    names = Names("bilko")

    assert names.source_tag == "bilko-source"
    assert names.type_tag(DocumentType.CARE_PLAN) == "doc-type:care-plan"
    assert names.organization_tag(UUID(int=7)) == f"org:{UUID(int=7)}"
    assert names.correspondent(UUID(int=7)) == f"org-{UUID(int=7)}"
    assert names.source_uuid_tag("ab") == "bilko-source-uuid:ab"


def test_the_source_uuid_tag_is_sent_only_where_it_is_wanted() -> None:
    assert LABELS.tags == (20, 21, 22)
    assert replace(LABELS, source_uuid_tag=30).tags == (20, 21, 22, 30)
