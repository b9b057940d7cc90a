"""What archive-write promises its callers, as OpenAPI."""

from __future__ import annotations

from typing import Any

from shared.domain.submission import Accepted, FinishedUpload, Job, Submission, UploadAddress, UploadRequest
from shared.http.openapi import Operation, document

REFUSED = (400, 401, 413, 415, 422)

OPERATIONS = (
    Operation(
        "POST",
        "/v1/archive",
        "Archive a PDF",
        answers={202: Accepted, 200: Accepted},
        refusals=(*REFUSED, 409, 410, 503),
        bodies={"multipart/form-data": Submission, "application/json": FinishedUpload},
        file="document",
        headers={"Idempotency-Key": "Repeating a request with the same key has one effect; another body is a 409."},
    ),
    Operation(
        "POST",
        "/v1/archive/uploads",
        "Ask for an address that takes a PDF of more than 32 MiB",
        answers={201: UploadAddress},
        refusals=(*REFUSED, 503),
        bodies={"application/json": UploadRequest},
    ),
    Operation(
        "GET",
        "/v1/archive/{jobId}",
        "See where a job stands",
        answers={200: Job},
        refusals=(401, 404, 503),
        parameters={"jobId": r"^[A-Za-z0-9_-]+$"},
    ),
    Operation(
        "GET",
        "/v1/keys",
        "The public keys that receipts are signed with",
        answers={200: None},
        refusals=(),
        public=True,
    ),
)


def openapi(largest: int) -> dict[str, Any]:
    """The document for a function that takes PDFs of so many bytes."""
    described = document("archive-write", "1", "Hands a PDF over to the archive.", OPERATIONS)
    described["components"]["schemas"]["UploadRequest"]["properties"]["size"]["maximum"] = largest
    return described
