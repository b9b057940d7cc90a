"""The bodies of audit-callback's internal routes."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel

from shared.domain.audit import ArchiveReport, Disposition, ReportedDocument
from shared.domain.keys import ObjectKey

NO_DOCUMENT = UUID(int=0)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class _Message(BaseModel):
    # Built by its first use, because most are not used by the first request.
    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, defer_build=True
    )


class DocumentMessage(_Message):
    """One document of the sidecar."""

    bilko_document_id: UUID
    timestamp: datetime
    trace_id: str | None = None


class ReportMessage(_Message):
    """`PATCH /internal/v1/archive-audit/{bilkoDocumentId}`: what became of one object of the queue."""

    organization_id: UUID
    organization_name: Annotated[str, StringConstraints(max_length=256)]
    object_key: str
    disposition: Disposition
    documents: tuple[DocumentMessage, ...]
    retry_count: int = Field(0, ge=0)
    last_error: str | None = None
    reason: str | None = None
    paperless_document_id: int | None = None
    paperless_url: str | None = None
    surplus: tuple[int, ...] = ()
    redrives: int = Field(0, ge=0)
    unless_queued: bool = False

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        key = ObjectKey.parse(self.object_key)
        if key is None or key.pdf != self.object_key:
            raise ValueError("objectKey is not the key of a queued PDF")
        if key.organization_id != self.organization_id:
            raise ValueError("objectKey is another organisation's")
        if self.disposition is Disposition.ARCHIVED and (self.paperless_document_id is None or not self.paperless_url):
            raise ValueError("an archived document has paperlessDocumentId and paperlessUrl")
        return self

    @classmethod
    def of(cls, report: ArchiveReport) -> Self:
        return cls(
            organization_id=report.key.organization_id,
            organization_name=report.organization_name,
            object_key=report.key.pdf,
            disposition=report.disposition,
            documents=tuple(
                DocumentMessage(bilko_document_id=each.document_id, timestamp=each.accepted_at, trace_id=each.trace_id)
                for each in report.documents
            ),
            retry_count=report.retry_count,
            last_error=_on_one_line(report.last_error),
            reason=report.reason,
            paperless_document_id=report.paperless_document_id,
            paperless_url=report.paperless_url,
            surplus=report.surplus,
            redrives=report.redrives,
            unless_queued=report.unless_queued,
        )

    def report(self) -> ArchiveReport:
        key = ObjectKey.parse(self.object_key)
        if key is None:
            raise ValueError("objectKey is not the key of a queued PDF")
        return ArchiveReport(
            key=key,
            organization_name=self.organization_name,
            disposition=self.disposition,
            documents=tuple(
                ReportedDocument(each.bilko_document_id, each.timestamp, each.trace_id) for each in self.documents
            ),
            retry_count=self.retry_count,
            last_error=self.last_error,
            reason=self.reason,
            paperless_document_id=self.paperless_document_id,
            paperless_url=self.paperless_url,
            surplus=self.surplus,
            redrives=self.redrives,
            unless_queued=self.unless_queued,
        )


def _on_one_line(text: str | None) -> str | None:
    """A page of HTML, quoted in an error, holds line feeds, which no request of ours may."""
    return None if text is None else _CONTROL.sub(" ", text)


class LabelsMessage(_Message):
    """`GET|PUT /internal/v1/paperless-cache/{organizationId}`."""

    paperless_correspondent_id: int = Field(gt=0)
    paperless_org_tag_id: int = Field(gt=0)
