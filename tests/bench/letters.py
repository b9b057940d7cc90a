"""Dead letters by the thousand, as the drain leaves them: two objects in the bucket and a row in the database."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from uuid import uuid5

from scripts.local.addresses import DLQ_BUCKET
from scripts.local.sample_documents import NAMESPACE
from shared.adapters.postgres.database import Database
from shared.adapters.postgres.ledger import PostgresLedger
from shared.domain.audit import ArchiveReport, Disposition, ReportedDocument
from shared.domain.keys import DocumentType
from shared.domain.receipt import Signature
from shared.domain.sidecar import Document, Sidecar, State, Verdict
from tests.bench.parts import Parts

ORGANIZATIONS = tuple(uuid5(NAMESPACE, f"bench {number}") for number in range(20))
TYPES = tuple(DocumentType)
REASONS = ("not_accepted", "refused", "worker_crashed", "refused_twin")
CLIENTS = 8
PDF = b"%PDF-1.7\n%%EOF\n"
SAID = "413 Request Entity Too Large"


def bury(parts: Parts, count: int) -> None:
    """So many letters, spread over organisations, types, reasons and the hours of four days."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        for done in [pool.submit(_bury, parts, range(first, count, CLIENTS)) for first in range(CLIENTS)]:
            done.result()


def _bury(parts: Parts, numbers: range) -> None:
    ledger = PostgresLedger(Database.at(parts.postgres.dsn()))
    with closing(parts.store.access.client()) as bucket, closing(ledger):
        for number in numbers:
            letter = _letter(number)
            bucket.put_object(Bucket=DLQ_BUCKET, Key=letter.key.pdf, Body=PDF)
            bucket.put_object(Bucket=DLQ_BUCKET, Key=letter.key.sidecar, Body=letter.to_json())
            ledger.record(_report(letter), letter.timestamp, _never_signed)


def _letter(number: int) -> Sidecar:
    """Every number up to 400 is another combination of organisation, type and reason."""
    document = uuid5(NAMESPACE, f"letter {number}")
    sha256 = hashlib.sha256(document.bytes).hexdigest()
    at = datetime.now(UTC) - timedelta(hours=number % 96)
    return Sidecar(
        r2_uuid=sha256,
        organization_id=ORGANIZATIONS[number % 20],
        organization_name="Firma AS",
        document_type=TYPES[number // 20 % 5],
        bilko_document_id=document,
        timestamp=at,
        sha256=sha256,
        documents=(Document(bilko_document_id=document, timestamp=at),),
        size=len(PDF),
        md5=hashlib.md5(PDF, usedforsecurity=False).hexdigest(),
        retry_count=3,
        last_error=SAID,
        state=State.FINISHING,
        verdict=Verdict.DEAD,
        reason=REASONS[number // 100 % 4],
        revision=document.hex,
    )


def _report(letter: Sidecar) -> ArchiveReport:
    told = tuple(ReportedDocument(each.bilko_document_id, each.timestamp, None) for each in letter.documents)
    return ArchiveReport(
        letter.key,
        letter.organization_name,
        Disposition.DEAD,
        told,
        retry_count=letter.retry_count,
        last_error=letter.last_error,
        reason=letter.reason,
    )


def _never_signed(_: bytes) -> Signature:
    raise AssertionError("a dead letter gets no receipt")
