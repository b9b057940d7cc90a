"""Checks who calls: another service, by key or Google's ID token, or a user, by token."""

from __future__ import annotations

import hmac
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import BeforeValidator, Field, SecretStr, field_validator, model_validator

from shared.config import Settings
from shared.domain.errors import Unauthenticated
from shared.http.access import Access, Kind, Principal

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Request

    from shared.http.tokens import GoogleTokens, UserTokens

API_KEY_HEADER = "X-Internal-Api-Key"
GOOGLE_KEYS = "https://www.googleapis.com/oauth2/v3/certs"


def _listed(value: object) -> object:
    return tuple(filter(None, (part.strip() for part in value.split(",")))) if isinstance(value, str) else value


def _safe_url(value: str | None) -> str | None:
    if value and not value.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
        raise ValueError("keys are fetched over https only, or from this machine")
    return value


Listed = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class ServiceAuthSettings(Settings):
    """How other services prove who they are."""

    internal_api_key: SecretStr | None = Field(
        None, min_length=16, description="a shared secret of 16 characters or more, for hosts outside Google"
    )
    internal_api_key_previous: SecretStr | None = Field(
        None, min_length=16, description="the secret before this one, valid until every caller has the new one"
    )
    service_audience: Listed = Field(
        (), description="the audiences an ID token may have, separated by commas: this function's own URLs"
    )
    invoker_emails: Listed = Field(
        (), description="the service accounts that may call, as e-mail addresses separated by commas"
    )
    service_jwks_url: str = Field(GOOGLE_KEYS, description="the URL of the keys that sign ID tokens, over https")

    _check_url = field_validator("service_jwks_url")(_safe_url)

    @model_validator(mode="after")
    def _some_way_in(self) -> Self:
        if self.internal_api_key is None and not self.service_audience:
            raise ValueError("INTERNAL_API_KEY or SERVICE_AUDIENCE is missing: one of them must say who may call")
        if bool(self.service_audience) != bool(self.invoker_emails):
            # Anybody with a Google account can have a token signed for any audience.
            raise ValueError("SERVICE_AUDIENCE and INVOKER_EMAILS are needed together: an audience keeps nobody out")
        return self


class UserAuthSettings(Settings):
    """How users prove who they are."""

    user_jwks_url: str | None = Field(None, description="the URL of the keys that sign users' tokens, over https")
    user_jwt_secret: SecretStr | None = Field(
        None, min_length=32, description="a shared secret of 32 characters or more that signs users' tokens (HS256)"
    )
    user_jwt_issuer: str | None = Field(None, description="the `iss` a token must have; any if it is not set")
    user_jwt_audience: str | None = Field(None, description="the `aud` a token must have; none if it is not set")
    user_id_claim: str = Field("sub", description="the claim that holds the user's id")
    user_organization_claim: str = Field("organization_id", description="the claim that holds the organisation's UUID")
    user_admin_claim: str = Field("is_admin", description="the claim that is true for an administrator")

    _check_url = field_validator("user_jwks_url")(_safe_url)

    @model_validator(mode="after")
    def _one_way_in(self) -> Self:
        if (self.user_jwks_url is None) == (self.user_jwt_secret is None):
            raise ValueError("USER_JWKS_URL or USER_JWT_SECRET is needed, and only one of them")
        return self


class Authenticator:
    """Finds out who calls, by the ways that are configured and the route allows."""

    def __init__(
        self,
        service: ServiceAuthSettings | None = None,
        user: UserAuthSettings | None = None,
        fetch: Callable[[str], object] | None = None,
    ) -> None:
        self._service = service
        self._user = user
        self._fetch = fetch

    def __call__(self, request: Request, access: Access) -> Principal:
        key = request.headers.get(API_KEY_HEADER)
        if key is not None and Access.SERVICE in access:
            return self._by_key(key)
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise Unauthenticated
        return self._by_token(token.strip(), access)

    def _by_key(self, given: str) -> Principal:
        settings = self._service
        valid = (settings.internal_api_key, settings.internal_api_key_previous) if settings else ()
        # Each key is compared, whatever the first one said: the time taken must not tell which of them was near.
        matches = [hmac.compare_digest(_octets(given), _octets(key.get_secret_value())) for key in valid if key]
        if not any(matches):
            raise Unauthenticated
        return Principal(Kind.SERVICE, "internal-api-key")

    def _by_token(self, token: str, access: Access) -> Principal:
        google, users = self._verifiers
        if google and Access.SERVICE in access and (Access.USER not in access or google.issued(token)):
            return google.principal(token)
        if users and Access.USER in access:
            return users.principal(token)
        raise Unauthenticated

    @cached_property
    def _verifiers(self) -> tuple[GoogleTokens | None, UserTokens | None]:
        # PyJWT, cryptography and httpx are loaded by the first bearer token, not by every cold start.
        from shared.http import tokens

        google = tokens.google_tokens(self._service, self._fetch) if self._service else None
        return google, tokens.user_tokens(self._user, self._fetch) if self._user else None


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
