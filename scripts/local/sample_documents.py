"""Sample documents of a fictitious firm, made in code: small PDFs, valid and different from each other."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from uuid import UUID, uuid5

NAMESPACE = UUID("1e2b6d54-2f0f-4a57-9a3e-6f3b7b9a1c40")
FONTS = "/Resources << /Font << /F1 5 0 R >> >>"
FILLER = "These words are here so that there is text enough, and nobody has to read it by eye."


@dataclass(frozen=True, slots=True)
class Sample:
    """One document as an application would send it."""

    organization: str
    document_type: str
    text: str
    invoice_number: str | None = None

    @property
    def organization_id(self) -> UUID:
        return uuid5(NAMESPACE, self.organization)

    @property
    def document_id(self) -> UUID:
        return uuid5(NAMESPACE, f"{self.organization}/{self.text}")

    @property
    def content(self) -> bytes:
        return pdf(self.text)


SAMPLES = (
    Sample("Firma AS", "invoice", "Invoice 2026-001", "2026-001"),
    Sample("Firma AS", "invoice", "Invoice 2026-002", "2026-002"),
    Sample("Firma AS", "contract", "Contract of delivery"),
    Sample("Nordlys Omsorg", "care-plan", "Care plan, spring"),
    Sample("Nordlys Omsorg", "incident-report", "Incident report 7"),
    Sample("Nordlys Omsorg", "onboarding", "Welcome to Nordlys"),
)


def pdf(text: str, *, size: int = 0) -> bytes:
    """One page that shows the text; a comment makes it as large as asked."""
    shown = text.translate(str.maketrans("", "", "\\()"))
    stream = f"BT /F1 12 Tf 50 780 Td ({shown}) Tj 0 -20 Td ({FILLER}) Tj ET"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R {FONTS} >>",
        f"<< /Length {len(stream.encode())} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    body, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode()
    if size:
        body += b"%" + b"x" * max(0, size - len(body) - 350) + b"\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    tail = f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<< /Size {count} /Root 1 0 R >>\n"
    return body + f"{tail}startxref\n{len(body)}\n%%EOF\n".encode()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
