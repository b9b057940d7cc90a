"""Documents and requests as an application sends them."""

from __future__ import annotations

import hashlib
import io
from typing import Any
from uuid import uuid4

from tests.stand_ins.papers import letter

KEY = "an-internal-api-key"
AUTH = {"X-Internal-Api-Key": KEY}


def fields(content: bytes, **changes: str | None) -> dict[str, str]:
    """What goes with a document; None leaves a field out."""
    given: dict[str, str | None] = {
        "organizationId": str(uuid4()),
        "organizationName": "Firma AS",
        "documentType": "invoice",
        "bilkoDocumentId": str(uuid4()),
        "sha256": hashlib.sha256(content).hexdigest(),
        **changes,
    }
    return {name: value for name, value in given.items() if value is not None}


def form(content: bytes, **changes: str | None) -> dict[str, Any]:
    """A multipart form, as the test client takes it."""
    return {**fields(content, **changes), "document": (io.BytesIO(content), "invoice.pdf")}


def some_letter() -> bytes:
    return letter(uuid4().hex)
