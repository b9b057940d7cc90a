"""What a signed receipt says: that these bytes of this document are in the archive."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Receipt:
    """The signed part of a receipt; `canonical` is what the signature covers."""

    job_id: str
    organization_id: UUID
    bilko_document_id: UUID
    document_type: str
    sha256: str
    paperless_document_id: int
    paperless_url: str
    accepted_at: datetime
    archived_at: datetime

    def payload(self) -> dict[str, Any]:
        return {
            "version": 1,
            "jobId": self.job_id,
            "organizationId": str(self.organization_id),
            "bilkoDocumentId": str(self.bilko_document_id),
            "documentType": self.document_type,
            "sha256": self.sha256,
            "paperlessDocumentId": self.paperless_document_id,
            "paperlessUrl": self.paperless_url,
            "acceptedAt": self.accepted_at.isoformat(),
            "archivedAt": self.archived_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class Signature:
    """An Ed25519 signature in base64 and the id of the key that made it."""

    key_id: str
    value: str


def canonical(payload: dict[str, Any]) -> bytes:
    """The one byte string of a payload: sorted keys, no blanks, UTF-8."""
    return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def signed(payload: dict[str, Any], signature: Signature) -> dict[str, Any]:
    return {**payload, "signature": {"algorithm": "Ed25519", "keyId": signature.key_id, "value": signature.value}}
