"""The messages between the drain and audit-callback."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from shared.domain.audit import ArchiveReport, Disposition, ReportedDocument
from shared.domain.callback import LabelsMessage, ReportMessage
from tests.domain.samples import KEY, NOW, keys, moments, texts

REPORT = ArchiveReport(KEY, "Firma AS", Disposition.QUEUED, (ReportedDocument(UUID(int=1), NOW),))
reports = st.builds(
    ArchiveReport,
    keys,
    texts,
    st.sampled_from(Disposition),
    st.lists(st.builds(ReportedDocument, st.uuids(), moments, st.none() | texts), max_size=3).map(tuple),
    retry_count=st.integers(0, 5),
    last_error=st.none() | st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=40),
    reason=st.none() | texts,
    paperless_document_id=st.integers(1),
    paperless_url=st.just("https://archive.example/documents/5/"),
    surplus=st.lists(st.integers(1), max_size=3).map(tuple),
    redrives=st.integers(0, 5),
    unless_queued=st.booleans(),
)


@given(reports)
def test_a_report_arrives_as_it_was_sent(report: ArchiveReport) -> None:
    sent = ReportMessage.of(report).model_dump_json(by_alias=True)

    assert ReportMessage.model_validate_json(sent).report() == report


def test_a_page_of_html_in_an_error_is_sent_on_one_line() -> None:
    report = ArchiveReport(KEY, "Firma AS", Disposition.DEAD, (), last_error="413 <html>\n<body>\ttoo large\x85")

    assert ReportMessage.of(report).last_error == "413 <html> <body> too large "


def test_an_archived_document_must_say_where() -> None:
    with pytest.raises(ValidationError, match="paperlessDocumentId"):
        ReportMessage.of(replace(REPORT, disposition=Disposition.ARCHIVED))


def test_the_organisation_and_the_key_must_agree() -> None:
    message = ReportMessage.of(REPORT).model_dump(mode="json", by_alias=True)

    with pytest.raises(ValidationError, match="another organisation"):
        ReportMessage.model_validate({**message, "organizationId": str(UUID(int=8))})


@pytest.mark.parametrize("key", [KEY.sidecar, KEY.stem, "org/", ""])
def test_only_the_key_of_a_pdf_names_a_document(key: str) -> None:
    message = ReportMessage.of(REPORT).model_dump(mode="json", by_alias=True)

    with pytest.raises(ValidationError, match="objectKey"):
        ReportMessage.model_validate({**message, "objectKey": key})


def test_labels_are_numbers_that_paperless_can_have_given() -> None:
    with pytest.raises(ValidationError):
        LabelsMessage(paperless_correspondent_id=0, paperless_org_tag_id=1)
