"""How one of our functions proves to another who it is: a shared key, or its own identity."""

from __future__ import annotations

from collections.abc import Callable

import httpx
from pydantic import SecretStr

IDENTITY = "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/identity"

Sign = Callable[[httpx.Request], httpx.Request]


def credentials(key: SecretStr | None, audience: str | None, identity: str = IDENTITY) -> Sign:
    """`identity` is where the platform hands out tokens of our own service account."""
    return _with_key(key) if audience is None else _with_identity(audience, identity)


def _with_key(key: SecretStr | None) -> Sign:
    def sign(request: httpx.Request) -> httpx.Request:
        request.headers["X-Internal-Api-Key"] = key.get_secret_value() if key else ""
        return request

    return sign


def _with_identity(audience: str, identity: str) -> Sign:
    """The metadata server caches the token and renews it in time, so it is asked for each call."""
    metadata = httpx.Client(headers={"Metadata-Flavor": "Google"}, timeout=5.0, trust_env=False)

    def sign(request: httpx.Request) -> httpx.Request:
        answer = metadata.get(identity, params={"audience": audience})
        answer.raise_for_status()
        request.headers["Authorization"] = f"Bearer {answer.text}"
        return request

    return sign
