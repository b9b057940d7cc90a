"""The whole archive path in one process, on a virtual clock: real services and adapters, fakes, the stand-in."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from uuid import UUID, uuid5

import httpx
from pydantic import SecretStr

from scripts.local.sample_documents import digest, pdf
from shared.adapters.ed25519 import Ed25519Signer, SigningSettings, generate
from shared.adapters.paperless.archive import PaperlessArchive
from shared.adapters.paperless.transport import PaperlessSettings, Transport
from shared.domain.drain import DrainOptions, DrainReport
from shared.domain.keys import DocumentType, ObjectKey
from shared.domain.sidecar import Priority
from shared.domain.submission import Accepted, Submission
from shared.ports import Archive, Clock, ObjectStore, OperatorAudit, OperatorLedger, Workers
from shared.services.archive_drain import drain
from shared.services.archive_write import WriteParts, archive
from shared.services.drain_run import DrainParts
from shared.services.letters import LetterParts
from tests.fakes.clock import VirtualClock
from tests.fakes.object_store import MemoryService, MemoryStore
from tests.fakes.operator_ledger import MemoryOperatorLedger
from tests.prove.parts import DirectAudit, SerialWorkers
from tests.stand_ins.paperless.options import Account, Options, ServerVersion
from tests.stand_ins.paperless.server import Paperless
from tests.stand_ins.paperless.transport import StandInTransport

TOKEN = "d" * 40
NAMESPACE = UUID("6f1c2f4e-6d7b-4f0e-9b52-0f3a8d5c9e11")
URL = "http://paperless.test"


@dataclass(frozen=True, slots=True)
class Letter:
    """A document of the application."""

    organization: str
    document: str
    text: str
    document_type: DocumentType = DocumentType.INVOICE
    priority: Priority = Priority.NORMAL

    @property
    def content(self) -> bytes:
        return pdf(self.text)

    @property
    def organization_id(self) -> UUID:
        return uuid5(NAMESPACE, self.organization)

    @property
    def document_id(self) -> UUID:
        return uuid5(NAMESPACE, self.document)

    @property
    def key(self) -> ObjectKey:
        return ObjectKey(self.organization_id, self.document_type, digest(self.content))

    @property
    def submission(self) -> Submission:
        return Submission(
            organization_id=self.organization_id,
            organization_name=self.organization,
            document_type=self.document_type,
            bilko_document_id=self.document_id,
            sha256=self.key.sha256,
            priority=self.priority,
        )


@dataclass(slots=True)
class Site:
    """One installation. `queue`, `archive` and the others may be replaced by wrappers before use."""

    version: ServerVersion = "3.0.5"
    consume_seconds: float = 0.0
    task_workers: int = 1
    delete_duplicates: bool = False
    seed: int = 0
    writes_per_second: float | None = None
    clock: Clock = field(default_factory=VirtualClock)
    paperless: Paperless = field(init=False)
    queue: ObjectStore = field(init=False)
    dead_letters: ObjectStore = field(init=False)
    ledger: OperatorLedger = field(init=False)
    audit: OperatorAudit = field(init=False)
    spare: OperatorAudit | None = None
    archive: Archive = field(init=False)
    workers: Workers = field(default_factory=SerialWorkers)
    signer: Ed25519Signer = field(init=False)
    nonce: Callable[[], str] = field(init=False)

    def __post_init__(self) -> None:
        options = Options(
            server_version=self.version,
            users=(Account("drain", TOKEN, "member"),),
            task_workers=self.task_workers,
            consume_seconds=self.consume_seconds,
            delete_duplicates=self.delete_duplicates,
            seed=self.seed,
            tag_cost=False,
        )
        self.paperless = Paperless(options, self.clock)
        service = MemoryService(self.clock, writes_per_second=self.writes_per_second)
        self.queue, self.dead_letters = MemoryStore(service, "queue"), MemoryStore(service, "dead-letters")
        self.ledger = MemoryOperatorLedger()
        self.signer = Ed25519Signer(SigningSettings(receipt_signing_key=SecretStr(generate())))
        self.audit = DirectAudit(self.ledger, self.signer, self.clock)
        self.archive = archive_on(StandInTransport(self.paperless))
        numbers = count(1)
        self.nonce = lambda: f"{self.seed:08x}{next(numbers):024x}"

    def send(self, letter: Letter) -> Accepted:
        parts = WriteParts(self.queue, self.ledger, self.clock, self.nonce)
        return archive(parts, letter.submission, io.BytesIO(letter.content), trace_id=None)

    def drain(self, **options: float) -> DrainReport:
        return drain(self.drain_parts(), DrainOptions(**options))  # type: ignore[arg-type]

    def drain_parts(self) -> DrainParts:
        return DrainParts(self.queue, self.dead_letters, self.archive, self.audit, self.clock, self.workers, self.nonce)

    def letter_parts(self) -> LetterParts:
        return LetterParts(self.queue, self.dead_letters, self.audit, self.clock, self.nonce)

    def wait(self, minutes: float = 5.0) -> None:
        self.clock.sleep(timedelta(minutes=minutes).total_seconds())
        self.paperless.advance()

    def drain_until_quiet(self, runs: int = 12) -> list[DrainReport]:
        """Run after run, five minutes apart, until nothing is left or the number is used up."""
        reports = []
        for _ in range(runs):
            reports.append(self.drain())
            if not any(True for _ in self.queue.list("")):
                break
            self.wait()
        return reports

    def copies(self, key: ObjectKey) -> list[int]:
        """The ids of every document in Paperless that is of this key, seen from behind its API."""
        wanted = {key.sha256, str(key.organization_id)}
        documents = self.paperless.world.archive.documents.values()
        return sorted(
            document.id
            for document in documents
            if document.deleted_at is None and wanted <= {str(value) for value in document.custom_fields.values()}
        )


def archive_on(transport: httpx.BaseTransport) -> PaperlessArchive:
    settings = PaperlessSettings.from_env({"PAPERLESS_URL": URL, "PAPERLESS_API_TOKEN": TOKEN})
    return PaperlessArchive(settings, Transport(settings, transport))
