"""A small function with one route of each sort, served by functions-framework in the tests of the router."""

from __future__ import annotations

import time
from hashlib import sha256
from typing import TYPE_CHECKING

import functions_framework
from pydantic import BaseModel

from shared.domain.errors import Conflict, TooManyRequests, Unavailable
from shared.http.access import PUBLIC, SERVICE, USER
from shared.http.auth import Authenticator, ServiceAuthSettings, UserAuthSettings
from shared.http.forms import multipart
from shared.http.health import Health
from shared.http.requests import json_body, query, uuid_parameter
from shared.http.responses import json_response
from shared.http.router import Call, Router
from shared.observability import context

if TYPE_CHECKING:
    from flask import Request, Response

API_KEY = "a key for the tests only"
USER_SECRET = "a secret of more than thirty-two characters"


class ArchiveQueueFailure(Unavailable):
    """Document archived pending. Retry in 5 minutes."""

    retry_after = 300


class Note(BaseModel):
    title: str


class Page(BaseModel):
    size: int = 25


authenticate = Authenticator(
    ServiceAuthSettings.from_env({"INTERNAL_API_KEY": API_KEY}),
    UserAuthSettings.from_env({"USER_JWT_SECRET": USER_SECRET}),
)
router = Router("sample", max_body=1000, authenticate=authenticate)


def whoami(call: Call) -> Response:
    time.sleep(0.01)
    request = context.current()
    known = (request.request_id, request.organization_id, request.user_id) if request else ()
    return json_response({"kind": call.principal.kind, "known": known})


def fail(call: Call) -> Response:
    errors: dict[str, Exception] = {
        "conflict": Conflict("There is another one."),
        "throttled": TooManyRequests(2.5),
        "store": Unavailable("bucket secret-name at 10.0.0.1 did not answer"),
        "queue": ArchiveQueueFailure("PUT org/1 failed"),
        "bug": KeyError("an inner detail"),
    }
    raise errors[call.parameters["kind"]]


def upload(call: Call) -> Response:
    with multipart(call.request, "document") as form:
        digest = sha256(form.file.stream.read()).hexdigest()
        return json_response({"sha256": digest, "size": form.file.size, "fields": form.fields}, 201)


router.add("GET", "/items/{item_id}", lambda call: json_response(dict(call.parameters)), auth=PUBLIC)
router.add("DELETE", "/items/{item_id}", lambda call: json_response(dict(call.parameters)), auth=PUBLIC)
router.add("GET", "/items/special", lambda _: json_response("special"), auth=PUBLIC)
router.add("GET", "/uuids/{id}", lambda call: json_response(str(uuid_parameter(call, "id"))), auth=PUBLIC)
router.add("GET", "/pages", lambda call: json_response(query(call.request, Page).size), auth=PUBLIC)
router.add("GET", "/services", whoami)
router.add("GET", "/users", whoami, auth=USER)
router.add("GET", "/anyone", whoami, auth=SERVICE | USER)
router.add("GET", "/fail/{kind}", fail, auth=PUBLIC)
router.add("POST", "/ignored", lambda _: json_response("done"), auth=PUBLIC)
router.add("POST", "/", lambda call: json_response(len(call.request.get_data())), auth=PUBLIC)
router.add(
    "POST",
    "/notes",
    lambda call: json_response(json_body(call.request, Note).title),
    auth=PUBLIC,
    accepts=("application/json",),
)
router.add("POST", "/uploads", upload, auth=PUBLIC, accepts=("multipart/form-data",), max_body=40_000_000)
router.add("GET", "/healthz", Health({"itself": lambda: None}), auth=PUBLIC)


@functions_framework.http
def sample(request: Request) -> Response:
    return router.dispatch(request)
