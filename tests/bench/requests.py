"""The requests that a bench makes: documents to take in, a delivery to record, an empty queue to drain."""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime
from uuid import UUID, uuid4

from scripts.local.sample_documents import pdf
from shared.domain.audit import ArchiveReport, Disposition, ReportedDocument
from shared.domain.callback import ReportMessage
from shared.domain.keys import DocumentType, ObjectKey
from tests.bench.serving import Request

ORGANIZATION = UUID("5f2c51f1-6a51-4b52-9a7e-3a3c1b1f5f10")
NAME = "Firma AS"
BOUNDARY = "archivolt-bench"


def headers(key: str, content_type: str) -> dict[str, str]:
    return {"X-Internal-Api-Key": key, "Content-Type": content_type}


def form(content: bytes, sha256: str) -> bytes:
    """A document as an application sends it."""
    fields = {
        "organizationId": str(ORGANIZATION),
        "organizationName": NAME,
        "documentType": DocumentType.INVOICE.value,
        "bilkoDocumentId": str(uuid4()),
        "sha256": sha256,
    }
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    file = 'name="document"; filename="document.pdf"\r\nContent-Type: application/pdf'
    head = f"{''.join(parts)}--{BOUNDARY}\r\nContent-Disposition: form-data; {file}\r\n\r\n"
    return b"".join((head.encode(), content, f"\r\n--{BOUNDARY}--\r\n".encode()))


def archive_a_document(key: str, size: int = 0) -> Request:
    content = pdf(f"Invoice {secrets.token_hex(8)}", size=size)
    return Request(
        "POST",
        "/v1/archive",
        form(content, hashlib.sha256(content).hexdigest()),
        headers(key, f"multipart/form-data; boundary={BOUNDARY}"),
        expected=202,
    )


def record_a_delivery(key: str) -> Request:
    """A document that has no row yet, of a type that has a table of its own in the application."""
    document = uuid4()
    report = ArchiveReport(
        ObjectKey(ORGANIZATION, DocumentType.INVOICE, hashlib.sha256(document.bytes).hexdigest()),
        NAME,
        Disposition.ARCHIVED,
        documents=(ReportedDocument(document, datetime.now(UTC), None),),
        paperless_document_id=1,
        paperless_url="https://archive.example/documents/1/",
    )
    body = ReportMessage.of(report).model_dump_json(by_alias=True).encode()
    path = f"/internal/v1/archive-audit/{document}"
    return Request("PATCH", path, body, headers(key, "application/json"), expected=200)


def drain_nothing(key: str) -> Request:
    return Request("POST", "/", b"{}", headers(key, "application/json"), expected=200)
