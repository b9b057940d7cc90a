"""The ids that a delivery sends."""

from __future__ import annotations

import pytest

from shared.domain.audit import OrganizationLabels
from shared.domain.drain import DrainOptions
from shared.domain.paperless import LabelKind
from shared.domain.retry import ErrorClass, PaperlessError
from shared.services.labels import open_book
from tests.flows.meddling import api, failing
from tests.prove.site import Letter, Site
from tests.services.runs import LETTER


def test_a_fresh_paperless_gets_every_label_it_needs_once() -> None:
    site = Site()
    for _ in range(2):
        open_book(site.archive, site.audit, DrainOptions()).labels(LETTER.key)

    labels = site.paperless.world.archive.labels
    assert len(labels["tag"]) == 3
    assert len(labels["correspondent"]) == len(labels["document_type"]) == 1
    assert len(site.paperless.world.archive.custom_fields) == 3


def test_labels_of_ours_belong_to_nobody_and_match_nothing() -> None:
    site = Site()
    open_book(site.archive, site.audit, DrainOptions()).labels(LETTER.key)

    tags = site.paperless.world.archive.labels["tag"].values()
    assert {(tag.owner, tag.matching_algorithm, tag.match) for tag in tags} == {(None, 0, "")}


def test_what_was_found_is_remembered_through_audit_callback() -> None:
    site = Site()
    labels = open_book(site.archive, site.audit, DrainOptions()).labels(LETTER.key)

    cached = site.ledger.labels(LETTER.organization_id)

    assert cached == OrganizationLabels(labels.correspondent, labels.organization_tag)


def test_without_audit_callback_paperless_is_asked() -> None:
    site = Site()
    book = open_book(site.archive, failing(site.audit, "labels", "save_labels"), DrainOptions())

    assert book.labels(LETTER.key).organization_tag > 0


def test_an_organisation_is_asked_for_once_in_a_run() -> None:
    site = Site()
    book = open_book(site.archive, site.audit, DrainOptions())
    book.labels(LETTER.key)
    site.paperless.reset_counters()

    book.labels(Letter("Firma AS", "invoice 9", "Another invoice").key)

    assert site.paperless.state()["requests"] == {}


def test_a_label_that_differs_only_in_case_is_not_ours() -> None:
    site = Site()
    api(site).post("/api/tags/", json={"name": "BILKO-source"}).raise_for_status()

    book = open_book(site.archive, site.audit, DrainOptions())

    assert book.tag_name(book.source_tag) == "bilko-source"


def test_a_tag_per_document_is_made_only_where_it_is_wanted() -> None:
    site = Site()
    plain = open_book(site.archive, site.audit, DrainOptions()).labels(LETTER.key)
    tagged = open_book(site.archive, site.audit, DrainOptions(source_uuid_tag=True)).labels(LETTER.key)

    assert plain.source_uuid_tag is None
    found = site.archive.find_label(LabelKind.TAG, f"bilko-source-uuid:{LETTER.key.sha256}")
    assert found is not None
    assert tagged.source_uuid_tag == found.id


def test_a_tag_per_document_is_refused_once_there_are_a_thousand() -> None:
    site = Site()
    for number in range(1000):
        api(site).post("/api/tags/", json={"name": f"tag {number}"})
    book = open_book(site.archive, site.audit, DrainOptions(source_uuid_tag=True))

    with pytest.raises(PaperlessError, match="SOURCE_UUID_TAG") as refused:
        book.labels(LETTER.key)

    assert refused.value.error_class is ErrorClass.CONFIG
