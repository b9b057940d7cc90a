"""Verifies bearer tokens: Google's ID tokens of services, and the JWTs of users."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import jwt

from shared.domain.errors import Forbidden, Unauthenticated
from shared.http.access import Kind, Principal
from shared.http.jwks import KeySet, fetch_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.http.auth import ServiceAuthSettings, UserAuthSettings

GOOGLE_ISSUERS = ("https://accounts.google.com", "accounts.google.com")
LEEWAY = 30.0
# Pinned per kind of key, never read from the token: `none` and a public key used as an HMAC secret stay out.
PUBLIC_KEY_ALGORITHMS = ("RS256", "ES256")
SHARED_SECRET_ALGORITHMS = ("HS256",)

Claims = dict[str, Any]  # what PyJWT hands out; each claim is checked before it is used


@dataclass(frozen=True, slots=True)
class GoogleTokens:
    """ID tokens that Google signed for a service account, with us as their audience."""

    keys: KeySet
    audience: tuple[str, ...]
    emails: frozenset[str]

    def issued(self, token: str) -> bool:
        """Whether the token claims to be Google's; only chooses who verifies it."""
        claims = _decode(token, None, (), options={"verify_signature": False})
        return claims.get("iss") in GOOGLE_ISSUERS

    def principal(self, token: str) -> Principal:
        claims = _decode(
            token,
            _signing_key(self.keys, token),
            ("RS256",),
            audience=self.audience,
            issuer=GOOGLE_ISSUERS,
            options={"require": ["exp", "iat", "aud", "iss", "sub"]},
        )
        email = claims.get("email")
        if not isinstance(email, str) or claims.get("email_verified") is not True:
            raise Unauthenticated
        if email.casefold() not in self.emails:
            raise Forbidden
        return Principal(Kind.SERVICE, email)


@dataclass(frozen=True, slots=True)
class UserTokens:
    """Tokens of users, whose claims say who they are and for which organisation they act."""

    settings: UserAuthSettings
    keys: KeySet | None

    def principal(self, token: str) -> Principal:
        claims = self._claims(token)
        user = claims.get(self.settings.user_id_claim)
        if not isinstance(user, str) or not user:
            raise Unauthenticated
        organization = _uuid(claims.get(self.settings.user_organization_claim))
        return Principal(Kind.USER, user, organization, claims.get(self.settings.user_admin_claim) is True)

    def _claims(self, token: str) -> Claims:
        key, algorithms = self._key(token)
        return _decode(
            token,
            key,
            algorithms,
            audience=self.settings.user_jwt_audience,
            issuer=self.settings.user_jwt_issuer,
            options={"require": ["exp"]},
        )

    def _key(self, token: str) -> tuple[jwt.PyJWK | str, tuple[str, ...]]:
        if self.keys is not None:
            return _signing_key(self.keys, token), PUBLIC_KEY_ALGORITHMS
        secret = self.settings.user_jwt_secret
        return secret.get_secret_value() if secret else "", SHARED_SECRET_ALGORITHMS


def google_tokens(settings: ServiceAuthSettings, fetch: Callable[[str], object] | None) -> GoogleTokens | None:
    if not settings.service_audience:
        return None
    keys = KeySet(settings.service_jwks_url, fetch or fetch_json)
    return GoogleTokens(keys, settings.service_audience, frozenset(map(str.casefold, settings.invoker_emails)))


def user_tokens(settings: UserAuthSettings, fetch: Callable[[str], object] | None) -> UserTokens:
    return UserTokens(settings, KeySet(settings.user_jwks_url, fetch or fetch_json) if settings.user_jwks_url else None)


def _signing_key(keys: KeySet, token: str) -> jwt.PyJWK:
    try:
        header = jwt.get_unverified_header(token)
    except jwt.PyJWTError as exc:
        raise Unauthenticated from exc
    if header.get("alg") not in PUBLIC_KEY_ALGORITHMS or not isinstance(header.get("kid"), str):
        raise Unauthenticated
    return keys.key(header["kid"])


def _decode(token: str, key: jwt.PyJWK | str | None, algorithms: tuple[str, ...], **checks: Any) -> Claims:
    try:
        return jwt.decode(token, key or "", algorithms=list(algorithms), leeway=LEEWAY, **checks)
    except jwt.PyJWTError as exc:
        raise Unauthenticated from exc


def _uuid(value: object) -> UUID:
    try:
        return UUID(str(value))
    except ValueError as exc:
        raise Unauthenticated from exc
