"""The `.meta.json` beside each queued PDF: what must be known to deliver it, and how far that has come.

    queued ──▶ submitting ──▶ submitted ──▶ finishing ──▶ (gone)
       ▲            │             │
       └────────────┴─────────────┘   refused, lost, or to be sent again

`finishing` freezes the sidecar: its documents no longer change, its verdict is known, and only its lease holder touches
the objects, so that plain deletes are safe.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from shared.domain.keys import DocumentType, ObjectKey

SCHEMA_VERSION = "1"
KEPT_ERRORS = 20


class State(StrEnum):
    """How far the delivery of one object has come."""

    QUEUED = "queued"
    SUBMITTING = "submitting"
    SUBMITTED = "submitted"
    FINISHING = "finishing"


class Verdict(StrEnum):
    """What a finishing sidecar is finished as."""

    ARCHIVED = "archived"
    DEAD = "dead"


class Priority(StrEnum):
    """HIGH goes first within its organisation's turn."""

    NORMAL = "NORMAL"
    HIGH = "HIGH"


class UnreadableSidecar(ValueError):
    """The bytes are not a sidecar that this version understands."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class _Record(BaseModel):
    """Written by us and by later versions of us: fields we do not know are carried along."""

    # Built by its first use, because most are not used by the first request.
    model_config = ConfigDict(
        frozen=True, extra="allow", alias_generator=to_camel, populate_by_name=True, defer_build=True
    )


class Document(_Record):
    """One document of the application that has these bytes."""

    bilko_document_id: UUID
    invoice_number: str | None = None
    contract_id: str | None = None
    trace_id: str | None = None
    timestamp: AwareDatetime


class Lease(_Record):
    """Who may act on this object, and until when."""

    owner: str
    nonce: str
    until: AwareDatetime


class Submission(_Record):
    """An upload that was about to be sent; its file name is how the task is found if the answer is lost."""

    file_name: str
    at: AwareDatetime
    attempt: int
    answer_lost: bool = False
    missing_since: AwareDatetime | None = None


class Failure(_Record):
    """One entry of the error history."""

    at: AwareDatetime
    kind: str
    message: str
    charged: bool = False


class Redrive(_Record):
    """An operator sent it back from the dead letters."""

    at: AwareDatetime
    actor: str


class Sidecar(_Record):
    """The fields of the first specification, and what a safe delivery needs beside them."""

    schema_version: Literal["1"] = "1"
    r2_uuid: str
    organization_id: UUID
    organization_name: str
    document_type: DocumentType
    bilko_document_id: UUID | None
    invoice_number: str | None = None
    contract_id: str | None = None
    timestamp: AwareDatetime
    sha256: str
    retry_count: int = 0
    last_attempt_at: AwareDatetime | None = None
    last_error: str | None = None

    documents: tuple[Document, ...]
    size: int
    md5: str
    priority: Priority = Priority.NORMAL
    state: State = State.QUEUED
    submitting: Submission | None = None
    submissions: int = 0
    """Uploads that Paperless took; a refused one is not held against the document."""
    unresolved: int = 0
    """Attempts in a row of which nobody knows the outcome: this document may be what kills the drain."""
    task_id: str | None = None
    paperless_document_id: int | None = None
    surplus: tuple[int, ...] = ()
    verdict: Verdict | None = None
    reason: str | None = None
    kept: bool = False
    lease: Lease | None = None
    errors: tuple[Failure, ...] = ()
    redrives: tuple[Redrive, ...] = ()
    revision: str

    @property
    def key(self) -> ObjectKey:
        return ObjectKey(self.organization_id, self.document_type, self.sha256)

    @property
    def attempts(self) -> int:
        return self.submitting.attempt if self.submitting else 0

    @property
    def crashes(self) -> int:
        """Attempts in a row of which no run lived to see the end; a lost answer was seen, so it is none."""
        if self.state is not State.SUBMITTING or (self.submitting and self.submitting.answer_lost):
            return 0
        return self.unresolved + 1

    def holds(self, document_id: UUID) -> bool:
        return any(document.bilko_document_id == document_id for document in self.documents)

    def leased_to_another(self, owner: str, now: datetime) -> bool:
        return self.lease is not None and self.lease.owner != owner and self.lease.until > now

    def to_json(self) -> bytes:
        return self.model_dump_json(by_alias=True).encode()

    @classmethod
    def parse(cls, raw: bytes, key: ObjectKey) -> Self:
        """Read what lies under a key; refuse what is broken, newer than us, or another document's."""
        try:
            sidecar = cls.model_validate_json(raw)
        except ValidationError as exc:
            raise UnreadableSidecar(*_why(exc)) from None
        if sidecar.key != key:
            raise UnreadableSidecar("sidecar_mismatch", f"it describes {sidecar.key.stem}")
        return sidecar


def _why(exc: ValidationError) -> tuple[str, str]:
    first = exc.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if where == "schemaVersion":
        return "sidecar_newer", f"schemaVersion is not {SCHEMA_VERSION!r}"
    return "sidecar_broken", f"{where or 'the whole'}: {first['msg']}"
