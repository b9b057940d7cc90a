"""dlq-alert: watches the dead letters, and lets operators look at them, send them back, or throw them away."""

from __future__ import annotations

from uuid import uuid4

import functions_framework
from flask import Request, Response
from pydantic import Field

from shared import compose
from shared.adapters.audit_api.client import AuditApiSettings
from shared.adapters.audit_api.credentials import credentials
from shared.adapters.audit_api.operators import HttpOperatorAudit
from shared.adapters.clock import SystemClock
from shared.adapters.drain_api import DrainApiSettings, HttpDrain
from shared.config import Settings
from shared.domain.audit import Event
from shared.domain.dead_letters import LetterQuery
from shared.domain.pauses import PauseRequest, ResumeRequest, RunRequest
from shared.domain.redrive import DiscardRequest, RedriveRequest
from shared.http.access import PUBLIC
from shared.http.auth import Authenticator, ServiceAuthSettings
from shared.http.health import Health
from shared.http.requests import json_body, query
from shared.http.responses import json_response, model_response
from shared.http.router import Call, Router
from shared.observability.setup import configure_logging
from shared.services import dead_letter_watch, dead_letters, discard, inspection, pauses, redrive
from shared.services.letters import LetterParts

JSON = ("application/json",)


class DlqAlertSettings(Settings):
    """What dlq-alert alone needs to know."""

    redrives_per_second: float = Field(
        10.0, alias="REDRIVES_PER_SECOND", gt=0, le=100, description="the pace at which letters are sent back"
    )


configure_logging()
settings = DlqAlertSettings.from_env()
queue_settings, dead_settings = compose.QueueSettings.from_env(), compose.DeadLetterSettings.from_env()
queue, letters = compose.buckets(queue_settings.backend, queue_settings.queue_bucket, dead_settings.bucket)
audit_settings, drain_settings = AuditApiSettings.from_env(), DrainApiSettings.from_env()
audit = HttpOperatorAudit(audit_settings)
drain = HttpDrain(drain_settings, credentials(audit_settings.key, drain_settings.audience))
parts = LetterParts(queue, letters, audit, SystemClock(), lambda: uuid4().hex)
router = Router("dlq-alert", max_body=262_144, authenticate=Authenticator(ServiceAuthSettings.from_env()))


def watch(_: Call) -> Response:
    return model_response(dead_letter_watch.watch(parts))


def show_page(call: Call) -> Response:
    return model_response(dead_letters.page(parts, query(call.request, LetterQuery)))


def show_letter(call: Call) -> Response:
    return model_response(inspection.inspect(parts, call.parameters["id"]))


def send_back(call: Call) -> Response:
    request = json_body(call.request, RedriveRequest)
    return model_response(redrive.redrive(parts, request, settings.redrives_per_second))


def throw_away(call: Call) -> Response:
    return model_response(discard.discard(parts, call.parameters["id"], json_body(call.request, DiscardRequest)))


def show_pauses(_: Call) -> Response:
    found = pauses.pauses(queue, parts.clock)
    return json_response({"pauses": [each.model_dump(mode="json", by_alias=True) for each in found]})


def pause(call: Call) -> Response:
    found, created = pauses.pause(parts, json_body(call.request, PauseRequest))
    return model_response(found, 201 if created else 200)


def resume(call: Call) -> Response:
    asked = query(call.request, ResumeRequest)
    return json_response({"resumed": pauses.resume(parts, asked.organization_id, asked.actor)})


def run_now(call: Call) -> Response:
    asked = json_body(call.request, RunRequest)
    audit.operator_event(Event(pauses.EVERYBODY, "drain.run_asked", asked.actor, "archiver-drain"))
    return json_response({"report": drain.run(asked.budget_seconds)})


router.add("POST", "/", watch)
router.add("GET", "/v1/dead-letters", show_page)
router.add("GET", "/v1/dead-letters/{id}", show_letter)
router.add("POST", "/v1/dead-letters/redrive", send_back, accepts=JSON)
router.add("POST", "/v1/dead-letters/{id}/discard", throw_away, accepts=JSON)
router.add("GET", "/v1/pauses", show_pauses)
router.add("POST", "/v1/pauses", pause, accepts=JSON)
router.add("DELETE", "/v1/pauses", resume)
router.add("POST", "/v1/runs", run_now, accepts=JSON)
router.add("GET", "/healthz", Health({"queue": queue.reachable, "deadLetters": letters.reachable}), auth=PUBLIC)


@functions_framework.http
def dlq_alert_function(request: Request) -> Response:
    return router.dispatch(request)
