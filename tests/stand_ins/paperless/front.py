"""The front of the server: from a request to the endpoint that answers it, past version, token and permission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote

from tests.stand_ins.paperless import access, german, routes, system
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.messages import Refusal, Request, Response, denied, detail, page, redirect
from tests.stand_ins.paperless.options import Account, User
from tests.stand_ins.paperless.world import World

_SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
_NOBODY = User(0, Account("", "", "none"))


def serve(world: World, request: Request) -> Response:
    try:
        response = _route(world, request)
    except Refusal as refusal:
        response = refusal.response
    if 400 <= response.status < 500 and request.headers.get("accept-language", "").lower().startswith("de"):
        return replace(response, body=german.translate(response.body))
    return response


def _route(world: World, request: Request) -> Response:
    if request.path == "/api/" and request.method in _SAFE:
        return redirect("schema/view/")
    if request.path == "/api/token/":
        return _give_token(world, request)
    found = routes.find(request.path, is_v3=world.is_v3)
    if found is None:
        return _to_login(request)
    media_type, version = access.negotiate(world, request)
    call = Call(world, request, access.authenticate(world, request), version)
    try:
        response = _dispatch(call, *found)
    except Refusal as refusal:
        response = refusal.response
    if media_type == "text/html" and response.headers.get("Content-Type") == "application/json":
        response = page("Paperless-ngx", response.status)
    return response.with_headers(_version_headers(world))


def _dispatch(call: Call, route: routes.Route, key: tuple[str, ...]) -> Response:
    action = routes.ACTIONS.get(call.request.method)
    if route.model and action and not call.user.may(f"{action}_{route.model}"):
        raise denied()
    handler = route.handler(call, key)
    if handler is None:
        allowed = ", ".join((*route.methods, "HEAD", "OPTIONS") if "GET" in route.methods else route.methods)
        raise detail(f'Method "{call.request.method}" not allowed.', 405, {"Allow": allowed})
    return handler()


def _give_token(world: World, request: Request) -> Response:
    _, version = access.negotiate(world, request)
    if request.method != "POST":
        raise detail(f'Method "{request.method}" not allowed.', 405, {"Allow": "POST, OPTIONS"})
    return system.token(world, Call(world, request, _NOBODY, version).data())


def _version_headers(world: World) -> Mapping[str, str]:
    """Only for those who are known; the newest version of the API, not the one asked for."""
    newest = access.API_VERSIONS[world.is_v3][-1]
    return {"X-Api-Version": str(newest), "X-Version": world.options.server_version}


def _to_login(request: Request) -> Response:
    """Paths the API does not know belong to the web interface, token or not."""
    if request.method not in _SAFE:
        return page("Forbidden (403): CSRF verification failed. Request aborted.", 403)
    target = request.path + (f"?{request.query}" if request.query else "")
    return redirect("/accounts/login/?next=" + quote(target, safe="/"))
