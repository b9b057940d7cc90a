"""Every port on one page: what the services ask of the outside world."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import BinaryIO, Protocol, TypeVar
from uuid import UUID

from shared.domain.audit import AcceptedDocument, ArchiveReport, AuditRow, IdempotencyRecord
from shared.domain.keys import ObjectKey
from shared.domain.objects import ObjectInfo, PresignedPut, StoredObject
from shared.domain.paperless import (
    ArchivedDocument,
    Label,
    LabelKind,
    Labels,
    OrganizationLabels,
    ServerVersion,
    Task,
    Upload,
)
from shared.domain.receipt import Signature

Result = TypeVar("Result")


class Clock(Protocol):
    """Time, which tests turn by hand."""

    def now(self) -> datetime: ...

    def sleep(self, seconds: float) -> None: ...


class Workers(Protocol):
    """Runs jobs side by side."""

    def run(self, jobs: Iterator[Callable[[], Result]], width: int) -> Iterator[Result]:
        """At most `width` at a time; the next job is only asked for when there is room; results as they come."""
        ...


class ObjectStore(Protocol):
    """One bucket. Raises PreconditionFailed, Throttled, Ambiguous (a write whose answer was lost) or Unavailable."""

    @property
    def bucket(self) -> str: ...

    def get(self, key: str) -> StoredObject | None: ...

    def stat(self, key: str) -> ObjectInfo | None: ...

    def open(self, key: str) -> AbstractContextManager[BinaryIO]:
        """The object's bytes as a stream, in constant memory; NotFound if there is none."""
        ...

    def put(self, key: str, body: bytes | BinaryIO, content_type: str) -> str:
        """Unconditional; returns the version. Never used for a sidecar."""
        ...

    def create(self, key: str, body: bytes, content_type: str) -> str:
        """Only if there is none; never repeated by the SDK."""
        ...

    def replace(self, key: str, body: bytes, content_type: str, version: str) -> str:
        """Only if it is still this version (gone counts as changed); never repeated by the SDK."""
        ...

    def delete(self, key: str) -> None:
        """What is gone already is a success."""
        ...

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[ObjectInfo]:
        """In the order of keys, a page at a time."""
        ...

    def folders(self, prefix: str) -> Iterator[str]:
        """The distinct prefixes up to the next slash, in order."""
        ...

    def copy(self, source_bucket: str, source_key: str, key: str, *, version: str | None = None) -> None:
        """Within the same service, over whatever is there; PreconditionFailed if the source is another version."""
        ...

    def reachable(self) -> None:
        """Raises Unavailable unless the bucket answers."""
        ...

    def presign_put(self, key: str, size: int, content_type: str, lifetime: timedelta) -> PresignedPut: ...


class Archive(Protocol):
    """Paperless-ngx, 2.20 or 3.x. A request that fails raises PaperlessError."""

    def version(self) -> ServerVersion: ...

    def find(self, source_uuid: str, labels: Labels) -> list[ArchivedDocument]:
        """Documents with exactly this source uuid and the organisation's and type's tags; each row checked."""
        ...

    def count_unchecked(self, source_uuid: str, source_field: int) -> int:
        """How many rows the server returns for a source uuid, unchecked: the canary."""
        ...

    def upload(self, upload: Upload) -> str:
        """Returns the id of a task; there is no document yet."""
        ...

    def task(self, task_id: str) -> Task | None: ...

    def open_tasks(self) -> list[Task]:
        """Every task not yet acknowledged; large, so asked for at most once in a run."""
        ...

    def acknowledge(self, row_ids: Iterable[int]) -> None: ...

    def checksum(self, document_id: int) -> str:
        """Of the stored original, in hex, by the server's algorithm."""
        ...

    def label(self, kind: LabelKind, label_id: int) -> Label | None: ...

    def find_label(self, kind: LabelKind, name: str) -> Label | None:
        """The one of exactly this name."""
        ...

    def ensure_label(self, kind: LabelKind, name: str) -> Label:
        """Found, or created un-owned and without matching; safe against others doing the same."""
        ...

    def count_labels(self, kind: LabelKind) -> int: ...

    def document_url(self, document_id: int) -> str: ...


class AuditApi(Protocol):
    """audit-callback, as the functions without a database see it."""

    def record(self, report: ArchiveReport) -> None: ...

    def labels(self, organization_id: UUID) -> OrganizationLabels | None: ...

    def save_labels(self, organization_id: UUID, labels: OrganizationLabels) -> None: ...


class Ledger(Protocol):
    """The audit rows in PostgreSQL; each method is one transaction."""

    def reachable(self) -> None:
        """Raises Unavailable unless the database answers."""
        ...

    def accept(self, document: AcceptedDocument) -> AuditRow:
        """A pending row and the source row's job id; an archived row is left as it is. Returns the row."""
        ...

    def refuse(self, document: AcceptedDocument, error: str) -> None:
        """The queue did not take it: the row becomes failed."""
        ...

    def record(self, report: ArchiveReport, now: datetime, sign: Callable[[bytes], Signature]) -> int:
        """Upsert every document's row, monotone; sign a receipt for each that becomes archived; returns how many."""
        ...

    def job(self, key: ObjectKey) -> list[AuditRow]: ...

    def recall(self, organization_id: UUID, idempotency_key: str) -> IdempotencyRecord | None: ...

    def remember(self, organization_id: UUID, idempotency_key: str, record: IdempotencyRecord) -> IdempotencyRecord:
        """Keep what was answered; if the key was used meanwhile, returns what is kept."""
        ...

    def labels(self, organization_id: UUID) -> OrganizationLabels | None: ...

    def save_labels(self, organization_id: UUID, organization_name: str, labels: OrganizationLabels) -> None: ...

    def seal(self, limit: int) -> int:
        """Chain the journal's new entries by hash; returns how many."""
        ...

    def count_by_disposition(self, organization_id: UUID) -> dict[str, int]: ...


class Signer(Protocol):
    """Ed25519."""

    def sign(self, message: bytes) -> Signature: ...

    def public_keys(self) -> dict[str, str]:
        """Key id → public key, in base64, of every key whose signatures are still good."""
        ...
