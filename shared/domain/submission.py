"""What an application sends to archive-write, and what it is told."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema
from pydantic.alias_generators import to_camel

from shared.domain.audit import ArchiveStatus
from shared.domain.keys import DocumentType
from shared.domain.paperless import TEXT_LIMIT
from shared.domain.sidecar import Priority

_CONTROLS = r"\u0000-\u001f\u007f-\u009f\u2028\u2029"
_CONTROL = re.compile(f"[{_CONTROLS}]")
# For callers, in the words of JSON Schema: something visible, and no control character.
_VISIBLE = rf"^[^{_CONTROLS}]*[^\s{_CONTROLS}][^{_CONTROLS}]*$"


def _without_control_characters(value: str) -> str:
    if _CONTROL.search(value):
        raise ValueError("control characters are not allowed")
    return value


Text = Annotated[
    str,
    StringConstraints(min_length=1, max_length=TEXT_LIMIT, strip_whitespace=True),
    AfterValidator(_without_control_characters),
    WithJsonSchema({"type": "string", "maxLength": TEXT_LIMIT, "pattern": _VISIBLE}),
]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F]{64}$", to_lower=True)]
UploadId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]


class _Message(BaseModel):
    # Built by its first use, because most are not used by the first request.
    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, defer_build=True
    )


class Submission(_Message):
    """The fields of `POST /v1/archive`, beside the document itself."""

    organization_id: UUID = Field(description="The organisation the document belongs to.")
    organization_name: Text = Field(description="Its name, for the title in the archive.")
    document_type: DocumentType
    bilko_document_id: UUID = Field(description="The document's id in your application.")
    sha256: Digest = Field(description="SHA-256 of the PDF, in hex; it is computed again and compared.")
    invoice_number: Text | None = None
    contract_id: Text | None = None
    priority: Priority = Priority.NORMAL
    allow_encrypted: bool = Field(default=False, description="Archive the PDF even if it is encrypted.")


class FinishedUpload(Submission):
    """The JSON form of `POST /v1/archive`: the document was uploaded to a presigned address before."""

    upload_id: UploadId = Field(description="As `POST /v1/archive/uploads` gave it.")


class UploadRequest(_Message):
    """`POST /v1/archive/uploads`: ask for an address that takes a large PDF."""

    organization_id: UUID
    size: int = Field(gt=0, description="The exact size of the PDF in bytes.")


class UploadAddress(_Message):
    """Where to PUT the PDF, with exactly these headers, before it expires."""

    upload_id: str
    method: Literal["PUT"] = "PUT"
    url: str
    headers: dict[str, str]
    expires_at: datetime


class Accepted(_Message):
    """The document is safe in the queue, or already in the archive."""

    job_id: str
    sha256: str
    status: ArchiveStatus
    audit: Literal["recorded", "deferred"] = Field(
        "recorded", description="`deferred`: the database did not answer; the row follows with the delivery."
    )
    paperless_url: str | None = None
    archived_at: datetime | None = None
    receipt: dict[str, Any] | None = None


class JobDocument(_Message):
    """One of the application's documents that has these bytes."""

    bilko_document_id: UUID
    status: ArchiveStatus
    paperless_url: str | None = None
    archived_at: datetime | None = None
    retry_count: int = 0
    reason: str | None = None
    receipt: dict[str, Any] | None = None


class Job(_Message):
    """`GET /v1/archive/{jobId}`: where the bytes are, and each document that has them."""

    job_id: str
    sha256: str
    organization_id: UUID
    document_type: DocumentType
    status: ArchiveStatus
    queued: bool = Field(description="Whether the document lies in the queue right now.")
    documents: list[JobDocument]
