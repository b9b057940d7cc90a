"""What we send to Paperless-ngx and what its answers mean, for the two major versions in the field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING
from uuid import UUID

from shared.domain.keys import DocumentType

if TYPE_CHECKING:
    from shared.domain.sidecar import Sidecar

TITLE_LIMIT = 127
TEXT_LIMIT = 128
MOST_TAGS = 1000
ORGANIZATION_TAG = "org:"
SUPPORTED_MAJORS = (2, 3)


class LabelKind(StrEnum):
    """The endpoints whose objects have a name and an id."""

    TAG = "tags"
    CORRESPONDENT = "correspondents"
    DOCUMENT_TYPE = "document_types"
    CUSTOM_FIELD = "custom_fields"


@dataclass(frozen=True, slots=True)
class Label:
    """A named thing of Paperless and the number it goes by there."""

    kind: LabelKind
    id: int
    name: str


@dataclass(frozen=True, slots=True)
class ServerVersion:
    """The version that an answer's `X-Version` header announced."""

    major: int
    minor: int

    @property
    def supported(self) -> bool:
        return self.major in SUPPORTED_MAJORS and (self.major, self.minor) >= (2, 20)

    @property
    def checksum_algorithm(self) -> str:
        return "sha256" if self.major >= 3 else "md5"


@dataclass(frozen=True, slots=True)
class FieldIds:
    """The three custom fields every document of ours carries."""

    source_uuid: int
    organization: int
    document: int


@dataclass(frozen=True, slots=True)
class Labels:
    """Every id a delivery for one organisation and type must send and later find again."""

    correspondent: int
    document_type: int
    organization_tag: int
    type_tag: int
    source_tag: int
    fields: FieldIds
    source_uuid_tag: int | None = None

    @property
    def tags(self) -> tuple[int, ...]:
        fixed = (self.organization_tag, self.type_tag, self.source_tag)
        return fixed if self.source_uuid_tag is None else (*fixed, self.source_uuid_tag)


@dataclass(frozen=True, slots=True)
class Upload:
    """One `post_document`, complete."""

    file_name: str
    content: bytes
    title: str
    created: date
    labels: Labels
    fields: Mapping[int, str]


class TaskStatus(StrEnum):
    """The four statuses seen, and what is done with any other."""

    PENDING = "PENDING"
    STARTED = "STARTED"
    SUCCESS = "SUCCESS"
    FAILURE = "FAILURE"
    OTHER = "OTHER"

    @property
    def final(self) -> bool:
        return self in (TaskStatus.SUCCESS, TaskStatus.FAILURE)


@dataclass(frozen=True, slots=True)
class Task:
    """A consumption task; `document_id` means the result only if the status is SUCCESS."""

    row_id: int
    task_id: str
    file_name: str
    status: TaskStatus
    result: str
    document_id: int | None


@dataclass(frozen=True, slots=True)
class ArchivedDocument:
    """A document as the archive's list shows it; the checksum only where the list carries it (3.x)."""

    id: int
    tags: frozenset[int]
    correspondent: int | None
    fields: Mapping[int, str | None]
    checksum: str | None


@dataclass(frozen=True, slots=True)
class Names:
    """How the labels are called, all derived from the source prefix."""

    prefix: str

    @property
    def source_tag(self) -> str:
        return f"{self.prefix}-source"

    @property
    def field_source_uuid(self) -> str:
        return f"{self.prefix}-source-uuid"

    @property
    def field_organization(self) -> str:
        return f"{self.prefix}-organization-id"

    @property
    def field_document(self) -> str:
        return f"{self.prefix}-document-id"

    def type_tag(self, document_type: DocumentType) -> str:
        return f"doc-type:{document_type}"

    def document_type(self, document_type: DocumentType) -> str:
        return document_type.label

    def organization_tag(self, organization_id: UUID) -> str:
        return f"{ORGANIZATION_TAG}{organization_id}"

    def correspondent(self, organization_id: UUID) -> str:
        return f"org-{organization_id}"

    def source_uuid_tag(self, sha256: str) -> str:
        return f"{self.prefix}-source-uuid:{sha256}"


def title(sidecar: Sidecar) -> str:
    """For example `Invoice — Firma AS 2026-05-08`; the name gives way, the date stays."""
    head, tail = f"{sidecar.document_type.label} — ", f" {sidecar.timestamp.date().isoformat()}"
    return head + sidecar.organization_name[: TITLE_LIMIT - len(head) - len(tail)] + tail


def field_values(sidecar: Sidecar, ids: FieldIds) -> dict[int, str]:
    return {
        ids.source_uuid: sidecar.r2_uuid,
        ids.organization: str(sidecar.organization_id),
        ids.document: str(sidecar.bilko_document_id),
    }


class Mismatch(StrEnum):
    """What about a stored document is not as we sent it."""

    CHECKSUM = "checksum"
    TAGS = "tags"
    FOREIGN_ORGANIZATION = "foreign organization tag"
    CORRESPONDENT = "correspondent"
    FIELDS = "custom fields"


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the archive must give back before our copy may be deleted."""

    checksum: str
    labels: Labels
    source_uuid: str
    organization_id: str
    document_ids: frozenset[str] | None
    """The application's ids one of which the document must carry; None for a document found, not sent by this job."""

    def mismatches(self, found: ArchivedDocument, checksum: str, other_tags: Iterable[str]) -> tuple[Mismatch, ...]:
        """Inbox tags and matching rules add tags of their own, so ours must be among them, not equal to them."""
        checks = {
            Mismatch.CHECKSUM: checksum.lower() == self.checksum,
            Mismatch.TAGS: set(self.labels.tags) <= found.tags,
            Mismatch.FOREIGN_ORGANIZATION: not any(name.startswith(ORGANIZATION_TAG) for name in other_tags),
            Mismatch.CORRESPONDENT: found.correspondent == self.labels.correspondent,
            Mismatch.FIELDS: self._fields_hold(found),
        }
        return tuple(mismatch for mismatch, holds in checks.items() if not holds)

    def _fields_hold(self, found: ArchivedDocument) -> bool:
        ids, document_id = self.labels.fields, found.fields.get(self.labels.fields.document)
        return (
            found.fields.get(ids.source_uuid) == self.source_uuid
            and found.fields.get(ids.organization) == self.organization_id
            and bool(document_id)
            and (self.document_ids is None or document_id in self.document_ids)
        )
