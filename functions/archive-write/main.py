"""archive-write: takes a PDF in, and answers once it is safe in the queue."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import functions_framework
from flask import Request, Response
from pydantic import Field, Json

from shared import compose
from shared.adapters.clock import SystemClock
from shared.config import Settings
from shared.domain.audit import ArchiveStatus
from shared.domain.submission import Accepted, FinishedUpload, Submission, UploadRequest
from shared.http.access import PUBLIC
from shared.http.auth import Authenticator, ServiceAuthSettings
from shared.http.forms import multipart
from shared.http.health import Health
from shared.http.requests import idempotency_key, json_body, text_fields
from shared.http.responses import json_response, model_response
from shared.http.router import Call, Router
from shared.observability.context import trace_id
from shared.observability.setup import configure_logging
from shared.services import archive_job, archive_write, idempotency, uploads

FORM, JSON = "multipart/form-data", "application/json"


class ArchiveWriteSettings(Settings):
    """What archive-write alone needs to know."""

    largest: int = Field(100_000_000, alias="MAX_DOCUMENT_BYTES", gt=0, description="the largest PDF taken, in bytes")
    largest_request: int = Field(
        33_554_432, alias="MAX_REQUEST_BYTES", gt=0, description="the largest request body; Cloud Run takes 32 MiB"
    )
    public_keys: Json[dict[str, str]] = Field(
        {}, alias="RECEIPT_PUBLIC_KEYS", description='JSON: {"key id": "public key in base64"}'
    )
    database_seconds: float = Field(
        2.0, alias="DATABASE_BUDGET_SECONDS", gt=0, description="seconds the database may take of a request"
    )


configure_logging()
settings = ArchiveWriteSettings.from_env()
queue_settings = compose.QueueSettings.from_env()
(queue,) = compose.buckets(queue_settings.backend, queue_settings.queue_bucket)
parts = archive_write.WriteParts(queue, compose.ledger(settings.database_seconds), SystemClock(), lambda: uuid4().hex)
router = Router(
    "archive-write", max_body=settings.largest_request, authenticate=Authenticator(ServiceAuthSettings.from_env())
)


def take_in(call: Call) -> Response:
    if call.request.mimetype == JSON:
        upload = json_body(call.request, FinishedUpload)
        return _once(call, upload, lambda: uploads.archive_upload(parts, upload, settings.largest, trace_id()))
    with multipart(call.request, "document") as form:
        submission = text_fields(form.fields, Submission)
        return _once(call, submission, lambda: archive_write.archive(parts, submission, form.file.stream, trace_id()))


def offer_upload(call: Call) -> Response:
    return model_response(uploads.offer(parts, json_body(call.request, UploadRequest), settings.largest), 201)


def show_job(call: Call) -> Response:
    return model_response(archive_job.job(queue, parts.ledger, parts.clock, call.parameters["jobId"]))


def show_keys(_: Call) -> Response:
    return json_response({"keys": settings.public_keys})


def show_contract(_: Call) -> Response:
    from shared.http import archive_contract

    return json_response(archive_contract.openapi(settings.largest))


def _once(call: Call, submission: Submission, carry_out: Callable[[], Accepted]) -> Response:
    accepted = idempotency.once(parts.ledger, idempotency_key(call.request), submission, carry_out)
    return model_response(accepted, 200 if accepted.status is ArchiveStatus.ARCHIVED else 202)


router.add("POST", "/v1/archive", take_in, accepts=(FORM, JSON))
router.add("POST", "/v1/archive/uploads", offer_upload, accepts=(JSON,))
router.add("GET", "/v1/archive/{jobId}", show_job)
router.add("GET", "/v1/keys", show_keys, auth=PUBLIC)
router.add("GET", "/openapi.json", show_contract, auth=PUBLIC)
router.add("GET", "/healthz", Health({"queue": queue.reachable, "database": parts.ledger.reachable}), auth=PUBLIC)


@functions_framework.http
def archive_write_function(request: Request) -> Response:
    return router.dispatch(request)
