"""Where a document's objects lie in the buckets, and the ids that name them outside."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Self
from uuid import UUID

SHA256 = re.compile(r"[0-9a-f]{64}")
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

QUEUE_ROOT = "org/"
KEPT_ROOT = "kept/"
UPLOADS_ROOT = "uploads/"
PRIORITY_ROOT = "priority/"
PDF_SUFFIX = ".pdf"
SIDECAR_SUFFIX = ".meta.json"


class DocumentType(StrEnum):
    """The kinds of document the archive takes, by the names used in keys and labels."""

    INVOICE = "invoice"
    CONTRACT = "contract"
    CARE_PLAN = "care-plan"
    INCIDENT_REPORT = "incident-report"
    ONBOARDING = "onboarding"

    @property
    def label(self) -> str:
        return self.value.replace("-", " ").capitalize()


@dataclass(frozen=True, slots=True, order=True)
class ObjectKey:
    """One document in a bucket: an organisation's bytes of one type; the PDF and its sidecar share the stem."""

    organization_id: UUID
    document_type: DocumentType
    sha256: str

    @property
    def stem(self) -> str:
        return f"{QUEUE_ROOT}{self.organization_id}/{self.document_type}/{self.sha256}"

    @property
    def pdf(self) -> str:
        return self.stem + PDF_SUFFIX

    @property
    def sidecar(self) -> str:
        return self.stem + SIDECAR_SUFFIX

    @property
    def priority_marker(self) -> str:
        return PRIORITY_ROOT + self.stem

    @property
    def job_id(self) -> str:
        """The PDF's key in base64url without padding, because keys have slashes and paths do not like them."""
        return base64.urlsafe_b64encode(self.pdf.encode()).rstrip(b"=").decode()

    @property
    def tombstones(self) -> tuple[str, str]:
        """The objects whose presence forbids this document: its organisation's, and its own."""
        organization = f"control/erased/{self.organization_id}"
        return organization, f"{organization}/{self.document_type}/{self.sha256}"

    @property
    def pauses(self) -> tuple[str, str]:
        return "control/paused", f"control/paused/{self.organization_id}"

    @classmethod
    def parse(cls, key: str) -> Self | None:
        """Read the key of a PDF, of a sidecar, or their stem; None if it is no document's."""
        match = _STEM.fullmatch(key)
        if match is None:
            return None
        return cls(UUID(match["organization"]), DocumentType(match["type"]), match["sha256"])

    @classmethod
    def from_job_id(cls, job_id: str) -> Self | None:
        try:
            key = base64.b64decode(job_id + "=" * (-len(job_id) % 4), altchars=b"-_", validate=True).decode()
        except (binascii.Error, UnicodeDecodeError, ValueError):
            return None
        found = cls.parse(key)
        return found if found is not None and found.job_id == job_id else None


def organization_prefix(organization_id: UUID) -> str:
    return f"{QUEUE_ROOT}{organization_id}/"


_STEM = re.compile(
    rf"{QUEUE_ROOT}(?P<organization>{_UUID})/(?P<type>{'|'.join(DocumentType)})/(?P<sha256>{SHA256.pattern})"
    rf"({re.escape(PDF_SUFFIX)}|{re.escape(SIDECAR_SUFFIX)})?"
)
