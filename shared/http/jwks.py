"""The public keys that sign tokens: fetched from their URL, kept, and fetched again when a new one appears."""

from __future__ import annotations

import time
from threading import Lock
from typing import TYPE_CHECKING

import httpx
import jwt

from shared.domain.errors import Unauthenticated, Unavailable
from shared.observability.logs import Log

if TYPE_CHECKING:
    from collections.abc import Callable

log = Log(__name__)

FETCH_TIMEOUT = 5.0
FRESH_FOR = 3600.0
STALE_FOR = 24 * 3600.0
BETWEEN_FETCHES = 60.0
AFTER_FAILURE = 5.0
# A symmetric key has no place among public ones; taking it would let its readers sign.
PUBLIC_KINDS = frozenset({"RSA", "EC"})


def fetch_json(url: str) -> object:
    response = httpx.get(url, timeout=FETCH_TIMEOUT, follow_redirects=False)
    response.raise_for_status()
    document: object = response.json()
    return document


class KeySet:
    """The keys of one URL; safe to share between threads."""

    def __init__(
        self, url: str, fetch: Callable[[str], object] = fetch_json, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._url = url
        self._fetch = fetch
        self._clock = clock
        self._lock = Lock()
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched_at: float | None = None
        self._next_fetch = float("-inf")

    def key(self, kid: str) -> jwt.PyJWK:
        """The key of that id; a 401 if there is none, a 503 if that cannot be known now."""
        if (known := self._known(kid, FRESH_FOR)) is not None:
            return known
        with self._lock:
            self._refresh()
        if (known := self._known(kid, STALE_FOR)) is not None:
            return known
        if self._age() > FRESH_FOR:
            raise Unavailable("the keys that sign tokens cannot be fetched")
        raise Unauthenticated

    def _known(self, kid: str, age: float) -> jwt.PyJWK | None:
        return self._keys.get(kid) if self._age() <= age else None

    def _age(self) -> float:
        return float("inf") if self._fetched_at is None else self._clock() - self._fetched_at

    def _refresh(self) -> None:
        # Rate-limited: a caller that invents key ids must not make us hammer the issuer.
        if self._clock() < self._next_fetch:
            return
        try:
            self._keys = _parse(self._fetch(self._url))
        except (httpx.HTTPError, ValueError) as exc:
            log.warning("jwks.unavailable", url=self._url, error=exc)
            self._next_fetch = self._clock() + AFTER_FAILURE
        else:
            self._fetched_at = self._clock()
            self._next_fetch = self._fetched_at + BETWEEN_FETCHES


def _parse(document: object) -> dict[str, jwt.PyJWK]:
    return {str(entry["kid"]): key for entry in _entries(document) if "kid" in entry and (key := _key(entry))}


def _entries(document: object) -> list[dict[str, object]]:
    match document:
        case {"keys": [*entries]}:
            return [entry for entry in entries if isinstance(entry, dict) and entry.get("kty") in PUBLIC_KINDS]
    raise ValueError("not a JSON Web Key Set")


def _key(entry: dict[str, object]) -> jwt.PyJWK | None:
    try:
        return jwt.PyJWK(entry)
    except jwt.PyJWTError:
        return None
