"""The door: which version of the API is spoken, and who is speaking."""

from __future__ import annotations

import base64
import hmac

from tests.stand_ins.paperless.messages import Request, detail
from tests.stand_ins.paperless.options import User
from tests.stand_ins.paperless.world import World

API_VERSIONS = {True: (9, 10), False: tuple(range(1, 10))}
_MEDIA_TYPES = ("application/json", "text/html")


def negotiate(world: World, request: Request) -> tuple[str, int]:
    """The media type to answer in, and the version asked for."""
    media_type, parameters = _accepted(request.headers.get("accept", "*/*"))
    versions = API_VERSIONS[world.is_v3]
    asked = parameters.get("version")
    if asked is None:
        return media_type, versions[-1]
    if asked not in map(str, versions):
        raise detail('Invalid version in "Accept" header.', 406)
    return media_type, int(asked)


def _accepted(header: str) -> tuple[str, dict[str, str]]:
    """The most precise wish that can be granted."""
    wishes = [_wish(wish) for wish in header.split(",") if wish.strip()] or [("*/*", {})]
    wishes.sort(key=lambda wish: -_precision(*wish))
    for wanted, parameters in wishes:
        for offered in _MEDIA_TYPES:
            if wanted in (offered, "*/*", offered.partition("/")[0] + "/*"):
                return offered, parameters
    raise detail("Could not satisfy the request Accept header.", 406)


def _wish(text: str) -> tuple[str, dict[str, str]]:
    media_type, *rest = (piece.strip() for piece in text.split(";"))
    pairs = (piece.partition("=") for piece in rest)
    return media_type.lower(), {name.strip(): value.strip().strip('"') for name, _, value in pairs}


def _precision(media_type: str, parameters: dict[str, str]) -> int:
    if media_type == "*/*":
        return 0
    if media_type.endswith("/*"):
        return 1
    return 3 if set(parameters) - {"q"} else 2


def authenticate(world: World, request: Request) -> User:
    scheme, _, credentials = request.headers.get("authorization", "").strip().partition(" ")
    if scheme.lower() == "token":
        return _by_token(world, credentials.strip())
    if scheme.lower() == "basic":
        return _by_password(world, credentials.strip())
    raise _unauthorized("Authentication credentials were not provided.")


def _by_token(world: World, token: str) -> User:
    if not token:
        raise _unauthorized("Invalid token header. No credentials provided.")
    if " " in token:
        raise _unauthorized("Invalid token header. Token string should not contain spaces.")
    for user in world.users:
        if hmac.compare_digest(user.account.token.encode(), token.encode()):
            return _active(user)
    raise _unauthorized("Invalid token.")


def _by_password(world: World, credentials: str) -> User:
    try:
        name, _, password = base64.b64decode(credentials, validate=True).decode().partition(":")
    except ValueError:
        raise _unauthorized("Invalid basic header. Credentials not correctly base64 encoded.") from None
    user = with_password(world, name, password)
    if user is None:
        raise _unauthorized("Invalid username/password.")
    return user


def with_password(world: World, name: str, password: str) -> User | None:
    for user in world.users:
        if user.name == name and hmac.compare_digest(user.account.token.encode(), password.encode()):
            return user if user.account.active else None
    return None


def _active(user: User) -> User:
    if not user.account.active:
        raise _unauthorized("User inactive or deleted.")
    return user


def _unauthorized(text: str) -> Exception:
    return detail(text, 401, {"WWW-Authenticate": "Token"})
