"""audit-callback: the only writer of archive rows for functions that have no database."""

from __future__ import annotations

import functions_framework
from flask import Request, Response
from pydantic import Field

from shared import compose
from shared.adapters.clock import SystemClock
from shared.adapters.ed25519 import Ed25519Signer, SigningSettings
from shared.config import Settings
from shared.domain.audit import OrganizationLabels
from shared.domain.callback import LabelsMessage, ReportMessage
from shared.domain.operator_callback import (
    EventMessage,
    HoldsMessage,
    RowsMessage,
    RowsQuery,
    StandingsMessage,
    StandingsQuery,
)
from shared.http.access import PUBLIC
from shared.http.auth import Authenticator, ServiceAuthSettings
from shared.http.health import Health
from shared.http.requests import json_body, query, uuid_parameter
from shared.http.responses import json_response, model_response
from shared.http.router import Call, Router
from shared.observability.setup import configure_logging
from shared.services import audit_callback

JSON = ("application/json",)


class AuditCallbackSettings(Settings):
    """What audit-callback alone needs to know."""

    database_seconds: float = Field(
        10.0, alias="DATABASE_BUDGET_SECONDS", gt=0, description="seconds the database may take of a request"
    )


configure_logging()
ledger = compose.operator_ledger(AuditCallbackSettings.from_env().database_seconds)
signer, clock = Ed25519Signer(SigningSettings.from_env()), SystemClock()
router = Router("audit-callback", max_body=1_048_576, authenticate=Authenticator(ServiceAuthSettings.from_env()))


def record(call: Call) -> Response:
    report = json_body(call.request, ReportMessage).report()
    rows = audit_callback.record(ledger, signer, clock, uuid_parameter(call, "bilkoDocumentId"), report)
    return json_response({"documents": rows})


def show_labels(call: Call) -> Response:
    found = audit_callback.labels(ledger, uuid_parameter(call, "organizationId"))
    return model_response(
        LabelsMessage(paperless_correspondent_id=found.correspondent_id, paperless_org_tag_id=found.tag_id)
    )


def save_labels(call: Call) -> Response:
    given = json_body(call.request, LabelsMessage)
    labels = OrganizationLabels(given.paperless_correspondent_id, given.paperless_org_tag_id)
    ledger.save_labels(uuid_parameter(call, "organizationId"), "", labels)
    return model_response(given)


def seal(_: Call) -> Response:
    return json_response({"sealed": audit_callback.seal(ledger)})


def record_operator(call: Call) -> Response:
    audit_callback.record_operator(ledger, json_body(call.request, EventMessage).event())
    return json_response({"recorded": True})


def show_holds(call: Call) -> Response:
    return model_response(HoldsMessage(holds=tuple(ledger.holds(uuid_parameter(call, "organizationId")))))


def show_dead_letters(call: Call) -> Response:
    asked = query(call.request, RowsQuery)
    found = ledger.dead_letters(asked, clock.now(), asked.after, asked.limit)
    return model_response(RowsMessage(rows=tuple(found)))


def show_summary(_: Call) -> Response:
    return model_response(ledger.dead_summary())


def show_standings(call: Call) -> Response:
    found = ledger.standings(json_body(call.request, StandingsQuery).keys())
    return model_response(StandingsMessage(standings=tuple(found)))


router.add("PATCH", "/internal/v1/archive-audit/{bilkoDocumentId}", record, accepts=JSON)
router.add("GET", "/internal/v1/paperless-cache/{organizationId}", show_labels)
router.add("PUT", "/internal/v1/paperless-cache/{organizationId}", save_labels, accepts=JSON)
router.add("POST", "/internal/v1/seal", seal)
router.add("POST", "/internal/v1/operator-events", record_operator, accepts=JSON)
router.add("GET", "/internal/v1/holds/{organizationId}", show_holds)
router.add("GET", "/internal/v1/dead-letters", show_dead_letters)
router.add("GET", "/internal/v1/dead-letters/summary", show_summary)
router.add("POST", "/internal/v1/dead-letters/standings", show_standings, accepts=JSON)
router.add("GET", "/healthz", Health({"database": ledger.reachable}), auth=PUBLIC)


@functions_framework.http
def audit_callback_function(request: Request) -> Response:
    return router.dispatch(request)
