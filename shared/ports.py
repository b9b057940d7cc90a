"""Every port on one page: what the services ask of the outside world."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeVar

if TYPE_CHECKING:  # every function imports this page, and would load the whole domain with it
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime, timedelta
    from uuid import UUID

    from shared.domain.audit import (
        AcceptedDocument,
        ArchiveReport,
        AuditRow,
        Event,
        IdempotencyRecord,
        OrganizationLabels,
    )
    from shared.domain.dead_letters import DeadRow, DeadSummary, LetterFilter, Standing
    from shared.domain.holds import Hold
    from shared.domain.keys import ObjectKey
    from shared.domain.objects import ObjectInfo, PresignedGet, PresignedPut, StoredObject
    from shared.domain.paperless import ArchivedDocument, Label, LabelKind, Labels, ServerVersion, Task, Upload
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

    def presign_get(self, key: str, lifetime: timedelta) -> PresignedGet: ...


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


class OperatorAudit(AuditApi, Protocol):
    """audit-callback, as the function for operators sees it."""

    def operator_event(self, event: Event) -> None:
        """Who is about to do what; written before it is done."""
        ...

    def holds(self, organization_id: UUID) -> list[Hold]: ...

    def dead_letters(self, wanted: LetterFilter, after: str, limit: int) -> list[DeadRow]:
        """In the order of keys, after one of them."""
        ...

    def dead_summary(self) -> DeadSummary: ...

    def standings(self, keys: Sequence[ObjectKey]) -> list[Standing]:
        """One for each key, in the same order."""
        ...


class Drain(Protocol):
    """archiver-drain, asked for a run outside its schedule."""

    def run(self, budget_seconds: float) -> dict[str, object]:
        """Its report; Unavailable if it does not answer."""
        ...


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


class OperatorLedger(Ledger, Protocol):
    """The same rows as operators use them, through audit-callback alone; a hold placed twice is placed once."""

    def operator_event(self, event: Event) -> None: ...

    def place_hold(self, hold: Hold) -> None: ...

    def lift_hold(self, organization_id: UUID, hold_id: UUID, actor: str, now: datetime) -> bool:
        """Whether there was one to lift."""
        ...

    def holds(self, organization_id: UUID) -> list[Hold]:
        """Those not lifted, the oldest first."""
        ...

    def dead_letters(self, wanted: LetterFilter, now: datetime, after: str, limit: int) -> list[DeadRow]:
        """Rows that say dead, one for each key, in the order of keys."""
        ...

    def dead_summary(self) -> DeadSummary: ...

    def standings(self, keys: Sequence[ObjectKey]) -> list[Standing]: ...


class Signer(Protocol):
    """Ed25519."""

    def sign(self, message: bytes) -> Signature: ...

    def public_keys(self) -> dict[str, str]:
        """Key id → public key, in base64, of every key whose signatures are still good."""
        ...
