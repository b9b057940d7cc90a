"""Where everything of a running stack is, what opens it, and what its functions are told of that."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from scripts.local.databases import PostgresAccess
from scripts.local.paperless import PaperlessAccess
from scripts.local.seaweedfs import S3Access
from shared.adapters.ed25519 import Ed25519Signer, SigningSettings

QUEUE_BUCKET, DLQ_BUCKET = "bilko-archive-queue", "bilko-archive-dlq"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """A running stack."""

    data: Path
    url: str
    postgres: PostgresAccess
    s3: S3Access
    paperless: PaperlessAccess
    internal_api_key: str
    receipt_signing_key: str

    def environment(self) -> dict[str, str]:
        """The variables the functions are given."""
        return {
            "AWS_S3_ENDPOINT": self.s3.endpoint,
            "AWS_ACCESS_KEY_ID": self.s3.access_key,
            "AWS_SECRET_ACCESS_KEY": self.s3.secret_key,
            "AWS_REGION": self.s3.region,
            "AWS_S3_ARCHIVE_BUCKET": QUEUE_BUCKET,
            "AWS_S3_DLQ_BUCKET": DLQ_BUCKET,
            "DATABASE_URL": self.postgres.dsn(),
            "PAPERLESS_URL": self.paperless.url,
            "PAPERLESS_API_TOKEN": self.paperless.token,
            "INTERNAL_API_KEY": self.internal_api_key,
            "AUDIT_CALLBACK_URL": f"{self.url}/audit-callback",
            "ARCHIVER_DRAIN_URL": f"{self.url}/archiver-drain",
            "RECEIPT_SIGNING_KEY": self.receipt_signing_key,
            "RECEIPT_PUBLIC_KEYS": json.dumps(self.receipt_public_keys()),
        }

    def receipt_public_keys(self) -> dict[str, str]:
        settings = SigningSettings(receipt_signing_key=SecretStr(self.receipt_signing_key))
        return Ed25519Signer(settings).public_keys()
