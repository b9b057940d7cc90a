"""archiver-drain: delivers what lies in the queue into Paperless, a run at a time."""

from __future__ import annotations

from uuid import uuid4

import functions_framework
from flask import Request, Response
from pydantic import BaseModel, ConfigDict, Field, Json
from pydantic.alias_generators import to_camel

from shared import compose
from shared.adapters.audit_api import AuditApiSettings, HttpAuditApi
from shared.adapters.clock import SystemClock
from shared.adapters.paperless.archive import PaperlessArchive
from shared.adapters.paperless.transport import PaperlessSettings
from shared.adapters.workers import ThreadWorkers
from shared.config import Settings
from shared.domain.drain import DrainOptions
from shared.domain.errors import InvalidInput
from shared.http.access import PUBLIC
from shared.http.auth import Authenticator, ServiceAuthSettings
from shared.http.health import Health
from shared.http.requests import json_body
from shared.http.responses import json_response
from shared.http.router import Call, Router
from shared.observability.setup import configure_logging
from shared.services.archive_drain import drain
from shared.services.drain_run import DrainParts


class DrainSettings(Settings):
    """What archiver-drain alone needs to know."""

    prefix: str = Field("bilko", alias="SOURCE_PREFIX", pattern=r"^[a-z][a-z0-9-]{0,30}$", description="a short name")
    window: int = Field(4, alias="PAPERLESS_WINDOW", ge=1, description="uploads under way at Paperless at once")
    tag_ids: Json[dict[str, int]] = Field(
        {}, alias="PAPERLESS_TAG_IDS_MAP", description='JSON: {"invoice": 12, "bilko-source": 5}'
    )
    source_uuid_tag: bool = Field(
        default=False, alias="SOURCE_UUID_TAG", description="on: a tag per document, which stops at 1,000 tags"
    )


class RunRequest(BaseModel):
    """What Scheduler may ask of a run."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)

    budget_seconds: float = Field(240.0, gt=0, le=3300)
    shard: int = Field(0, ge=0)
    shards: int = Field(1, ge=1, le=64)


configure_logging()
settings = DrainSettings.from_env()
paperless = PaperlessSettings.from_env()
queue_settings, dead_settings = compose.QueueSettings.from_env(), compose.DeadLetterSettings.from_env()
queue, dead_letters = compose.buckets(queue_settings.backend, queue_settings.queue_bucket, dead_settings.bucket)
parts = DrainParts(
    queue=queue,
    dead_letters=dead_letters,
    archive=PaperlessArchive(paperless),
    audit=HttpAuditApi(AuditApiSettings.from_env()),
    clock=SystemClock(),
    workers=ThreadWorkers(),
    nonce=lambda: uuid4().hex,
)
router = Router("archiver-drain", max_body=4096, authenticate=Authenticator(ServiceAuthSettings.from_env()))


def run(call: Call) -> Response:
    asked = json_body(call.request, RunRequest) if call.request.content_length else RunRequest()
    if asked.shard >= asked.shards:
        raise InvalidInput("shard", "shard counts from 0 and is less than shards.", unprocessable=True)
    options = DrainOptions(
        prefix=settings.prefix,
        budget_seconds=asked.budget_seconds,
        window=settings.window,
        shard=asked.shard,
        shards=asked.shards,
        tag_ids=settings.tag_ids,
        source_uuid_tag=settings.source_uuid_tag,
        upload_timeout=paperless.upload_timeout,
    )
    return json_response(drain(parts, options).as_json())


router.add("POST", "/", run)
router.add("GET", "/healthz", Health({"queue": queue.reachable, "paperless": parts.archive.version}), auth=PUBLIC)


@functions_framework.http
def archiver_drain_function(request: Request) -> Response:
    return router.dispatch(request)
