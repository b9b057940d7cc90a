"""Fills a queue quickly: documents as archive-write leaves them, written past S3 straight into SeaweedFS's filer."""

from __future__ import annotations

import hashlib
import http.client
import subprocess
import sys
from datetime import UTC, datetime
from uuid import UUID, uuid4

from scripts.local.addresses import QUEUE_BUCKET
from scripts.local.functions import ROOT
from scripts.local.ports import HOST
from scripts.local.sample_documents import pdf
from shared.domain.keys import DocumentType, ObjectKey
from shared.domain.sidecar import Document, Sidecar
from tests.bench.parts import Parts

WRITERS = 4
FEW = 500


def fill(parts: Parts, organization: UUID, count: int, size: int = 0) -> None:
    """So many further documents of one organisation, all different."""
    port = parts.store.ports["filer"]
    if count <= FEW:
        _write(port, organization, size, count)
        return
    shares = [count // WRITERS + (number < count % WRITERS) for number in range(WRITERS)]
    command = [sys.executable, "-m", "tests.bench.filling", str(port), str(organization), str(size)]
    writers = [subprocess.Popen([*command, str(share)], cwd=ROOT) for share in shares]
    endings = {writer.wait() for writer in writers}
    if endings != {0}:
        raise RuntimeError("the queue could not be filled")


def _write(port: int, organization: UUID, size: int, count: int) -> None:
    connection = http.client.HTTPConnection(HOST, port, timeout=60)
    try:
        for _ in range(count):
            _write_one(connection, organization, size)
    finally:
        connection.close()


def _write_one(connection: http.client.HTTPConnection, organization: UUID, size: int) -> None:
    content = pdf(f"Invoice {uuid4()}", size=size)
    sidecar = _sidecar(organization, content)
    _put(connection, sidecar.key.pdf, content, "application/pdf")
    _put(connection, sidecar.key.sidecar, sidecar.to_json(), "application/json")


def _put(connection: http.client.HTTPConnection, key: str, body: bytes, content_type: str) -> None:
    connection.request("PUT", f"/buckets/{QUEUE_BUCKET}/{key}", body, {"Content-Type": content_type})
    response = connection.getresponse()
    response.read()
    if response.status != 201:
        raise RuntimeError(f"the filer answered {response.status}")


def _sidecar(organization: UUID, content: bytes) -> Sidecar:
    document = Document(bilko_document_id=uuid4(), timestamp=datetime.now(UTC))
    key = ObjectKey(organization, DocumentType.INVOICE, hashlib.sha256(content).hexdigest())
    return Sidecar(
        r2_uuid=key.sha256,
        organization_id=organization,
        organization_name="Firma AS",
        document_type=key.document_type,
        bilko_document_id=document.bilko_document_id,
        timestamp=document.timestamp,
        sha256=key.sha256,
        documents=(document,),
        size=len(content),
        md5=hashlib.md5(content, usedforsecurity=False).hexdigest(),
        revision=uuid4().hex,
    )


if __name__ == "__main__":
    _write(int(sys.argv[1]), UUID(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
