"""Who gets in: keys during rotation, Google's ID tokens, users' tokens; and who does not."""

from __future__ import annotations

import base64
import hmac
import json
import time
from typing import TYPE_CHECKING
from uuid import UUID

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from flask import Request
from werkzeug.test import EnvironBuilder

from shared.domain.errors import ConfigError, Forbidden, Unauthenticated
from shared.http.access import SERVICE, USER, Access, Kind, Principal
from shared.http.auth import Authenticator, ServiceAuthSettings, UserAuthSettings
from tests.http.issuer import Issuer, serving
from tests.http.sample.main import API_KEY, USER_SECRET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask.testing import FlaskClient

AUDIENCE = "https://archive-write.example"
EMAIL = "drain@project.iam.gserviceaccount.com"
ORGANIZATION = UUID("550e8400-e29b-41d4-a716-446655440000")
GOOGLE: dict[str, object] = {
    "iss": "https://accounts.google.com",
    "aud": AUDIENCE,
    "sub": "1234",
    "email": EMAIL,
    "email_verified": True,
}
PERSON: dict[str, object] = {"sub": "u-1", "organization_id": str(ORGANIZATION)}


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with serving() as running:
        running.add("elliptic", "ES256")
        yield running


def asking(**headers: str) -> Request:
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Request(EnvironBuilder(headers=named).get_environ())


def bearing(token: str) -> Request:
    return asking(Authorization=f"Bearer {token}")


def google(issuer: Issuer, **more: str) -> Authenticator:
    env = {"SERVICE_AUDIENCE": AUDIENCE, "INVOKER_EMAILS": f"other@x, {EMAIL}", "SERVICE_JWKS_URL": issuer.url, **more}
    return Authenticator(ServiceAuthSettings.from_env(env))


def users(**env: str) -> Authenticator:
    return Authenticator(user=UserAuthSettings.from_env(env))


def written_by_hand(algorithm: str, claims: dict[str, object], secret: bytes | None = None) -> str:
    """What no honest library would sign."""
    parts = ({"alg": algorithm, "kid": "first"}, {**claims, "exp": int(time.time()) + 60})
    signed = ".".join(base64url(json.dumps(part).encode()) for part in parts)
    return f"{signed}.{base64url(hmac.digest(secret, signed.encode(), 'sha256')) if secret else ''}"


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class TestKeys:
    @pytest.mark.parametrize("key", ["the new key, long enough", "the old key, long enough"])
    def test_both_keys_are_valid_during_rotation(self, key: str) -> None:
        settings = ServiceAuthSettings.from_env(
            {
                "INTERNAL_API_KEY": "the new key, long enough",
                "INTERNAL_API_KEY_PREVIOUS": "the old key, long enough",
            }
        )

        principal = Authenticator(settings)(asking(X_Internal_Api_Key=key), SERVICE)

        assert principal == Principal(Kind.SERVICE, "internal-api-key")

    @pytest.mark.parametrize("key", ["", "another", API_KEY[:-1], API_KEY + "x", "nøkkel"])
    def test_another_key_is_refused(self, client: FlaskClient, key: str) -> None:
        response = client.get("/services", headers={"X-Internal-Api-Key": key})

        assert response.status_code == 401
        assert response.headers["WWW-Authenticate"].startswith("Bearer")
        assert response.get_json()["code"] == "UNAUTHENTICATED"

    def test_the_key_opens_a_services_route(self, client: FlaskClient) -> None:
        response = client.get("/services", headers={"X-Internal-Api-Key": API_KEY})

        assert response.get_json()["kind"] == "service"

    def test_the_key_opens_no_users_route(self, client: FlaskClient) -> None:
        response = client.get("/users", headers={"X-Internal-Api-Key": API_KEY})

        assert response.status_code == 401

    @pytest.mark.parametrize("header", ["", "Basic YTpi", "Bearer", "Bearer  ", "Bearer x", "Bearer a.b.c"])
    def test_no_credentials_or_strange_ones_are_401(self, client: FlaskClient, header: str) -> None:
        responses = [client.get(path, headers={"Authorization": header}) for path in ("/services", "/users", "/anyone")]

        assert [response.status_code for response in responses] == [401, 401, 401]


class TestGoogle:
    def test_a_signed_token_of_a_listed_account_is_let_in(self, issuer: Issuer) -> None:
        principal = google(issuer)(bearing(issuer.sign(GOOGLE)), SERVICE)

        assert principal == Principal(Kind.SERVICE, EMAIL)

    def test_a_clock_a_little_ahead_is_forgiven(self, issuer: Issuer) -> None:
        token = issuer.sign({**GOOGLE, "iat": int(time.time()) + 20})

        assert google(issuer)(bearing(token), SERVICE).subject == EMAIL

    @pytest.mark.parametrize(
        "wrong",
        [
            {"aud": "https://another.example"},
            {"aud": None},
            {"iss": "https://accounts.example"},
            {"iss": None},
            {"exp": 1_000_000_000},
            {"exp": None},
            {"iat": 4_000_000_000},
            {"email": None},
            {"email_verified": False},
            {"email_verified": "true"},
        ],
        ids=str,
    )
    def test_a_wrong_claim_is_401(self, issuer: Issuer, wrong: dict[str, object]) -> None:
        with pytest.raises(Unauthenticated):
            google(issuer)(bearing(issuer.sign({**GOOGLE, **wrong})), SERVICE)

    def test_an_account_that_is_not_listed_is_403(self, issuer: Issuer) -> None:
        with pytest.raises(Forbidden):
            google(issuer)(bearing(issuer.sign({**GOOGLE, "email": "stranger@x"})), SERVICE)

    def test_a_token_of_another_signer_is_401(self, issuer: Issuer) -> None:
        with serving() as stranger:
            token = stranger.sign(GOOGLE)

        with pytest.raises(Unauthenticated):
            google(issuer)(bearing(token), SERVICE)

    def test_a_token_opens_no_users_route(self, issuer: Issuer) -> None:
        with pytest.raises(Unauthenticated):
            google(issuer)(bearing(issuer.sign(GOOGLE)), USER)

    def test_with_a_key_configured_too_both_work(self, issuer: Issuer) -> None:
        both = google(issuer, INTERNAL_API_KEY=API_KEY)

        subjects = [both(asking(X_Internal_Api_Key=API_KEY), SERVICE).subject]
        subjects.append(both(bearing(issuer.sign(GOOGLE)), SERVICE).subject)

        assert subjects == ["internal-api-key", EMAIL]


class TestAlgorithms:
    def test_a_token_without_a_signature_is_401(self, issuer: Issuer) -> None:
        with pytest.raises(Unauthenticated):
            google(issuer)(bearing(written_by_hand("none", GOOGLE)), SERVICE)

    def test_the_public_key_used_as_a_shared_secret_is_401(self, issuer: Issuer) -> None:
        public = issuer.keys["first"][1].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        forged = written_by_hand("HS256", PERSON, public)

        with pytest.raises(Unauthenticated):
            users(USER_JWKS_URL=issuer.url)(bearing(forged), USER)

    def test_a_symmetric_key_among_the_published_ones_is_ignored(self) -> None:
        secret = b"a symmetric key that someone published"
        token = jwt.encode({**PERSON, "exp": time.time() + 60}, secret, "HS256", headers={"kid": "oct"})
        settings = UserAuthSettings.from_env({"USER_JWKS_URL": "https://keys.example"})
        check = Authenticator(
            user=settings, fetch=lambda _: {"keys": [{"kty": "oct", "kid": "oct", "k": base64url(secret)}]}
        )

        with pytest.raises(Unauthenticated):
            check(bearing(token), USER)

    def test_an_elliptic_curve_key_is_as_good(self, issuer: Issuer) -> None:
        token = issuer.sign(PERSON, "elliptic")

        assert users(USER_JWKS_URL=issuer.url)(bearing(token), USER).subject == "u-1"

    def test_but_not_for_google(self, issuer: Issuer) -> None:
        with pytest.raises(Unauthenticated):
            google(issuer)(bearing(issuer.sign(GOOGLE, "elliptic")), SERVICE)

    def test_a_stronger_hash_with_the_same_secret_is_still_not_the_pinned_one(self) -> None:
        token = jwt.encode({**PERSON, "exp": time.time() + 60}, USER_SECRET * 2, "HS512")

        with pytest.raises(Unauthenticated):
            users(USER_JWT_SECRET=USER_SECRET * 2)(bearing(token), USER)


class TestUsers:
    def sign(self, **claims: object) -> Request:
        timed = {**PERSON, "exp": int(time.time()) + 60, **claims}
        return bearing(jwt.encode({k: v for k, v in timed.items() if v is not None}, USER_SECRET, "HS256"))

    def test_the_claims_say_who_it_is(self) -> None:
        principal = users(USER_JWT_SECRET=USER_SECRET)(self.sign(is_admin=True), USER)

        assert principal == Principal(Kind.USER, "u-1", ORGANIZATION, is_admin=True)

    @pytest.mark.parametrize("claim", [None, False, "true", 1])
    def test_only_true_makes_an_administrator(self, claim: object) -> None:
        principal = users(USER_JWT_SECRET=USER_SECRET)(self.sign(is_admin=claim), USER)

        assert principal.is_admin is False

    def test_the_claims_can_have_other_names(self) -> None:
        check = users(USER_JWT_SECRET=USER_SECRET, USER_ID_CLAIM="uid", USER_ORGANIZATION_CLAIM="org")

        principal = check(self.sign(uid="u-2", org=str(ORGANIZATION), sub=None, organization_id=None), USER)

        assert (principal.subject, principal.organization_id) == ("u-2", ORGANIZATION)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"sub": None},
            {"organization_id": None},
            {"organization_id": "mine"},
            {"exp": None},
            {"exp": 1_000_000_000},
            {"aud": "someone else"},
        ],
        ids=str,
    )
    def test_a_wrong_claim_is_401(self, wrong: dict[str, object]) -> None:
        with pytest.raises(Unauthenticated):
            users(USER_JWT_SECRET=USER_SECRET)(self.sign(**wrong), USER)

    @pytest.mark.parametrize(
        ("claims", "entered"), [({"iss": "us", "aud": "api"}, True), ({"iss": "us"}, False), ({"aud": "api"}, False)]
    )
    def test_issuer_and_audience_are_checked_where_they_are_set(
        self, claims: dict[str, object], *, entered: bool
    ) -> None:
        check = users(USER_JWT_SECRET=USER_SECRET, USER_JWT_ISSUER="us", USER_JWT_AUDIENCE="api")

        assert accepted(check, self.sign(**claims), USER) == entered

    def test_a_route_for_both_takes_each_by_its_own_rules(self, issuer: Issuer) -> None:
        service = ServiceAuthSettings.from_env(
            {"SERVICE_AUDIENCE": AUDIENCE, "INVOKER_EMAILS": EMAIL, "SERVICE_JWKS_URL": issuer.url}
        )
        check = Authenticator(service, UserAuthSettings.from_env({"USER_JWT_SECRET": USER_SECRET}))

        kinds = [check(request, SERVICE | USER).kind for request in (bearing(issuer.sign(GOOGLE)), self.sign())]

        assert kinds == [Kind.SERVICE, Kind.USER]


class TestSettings:
    @pytest.mark.parametrize(
        ("env", "sentence"),
        [
            ({}, "INTERNAL_API_KEY or SERVICE_AUDIENCE is missing"),
            ({"INTERNAL_API_KEY": "short"}, "INTERNAL_API_KEY is wrong .*: a shared secret of 16 characters"),
            ({"SERVICE_AUDIENCE": AUDIENCE}, "SERVICE_AUDIENCE and INVOKER_EMAILS are needed together"),
            ({"INTERNAL_API_KEY": API_KEY, "SERVICE_JWKS_URL": "http://keys.example"}, "SERVICE_JWKS_URL is wrong"),
        ],
    )
    def test_a_service_that_lets_everybody_in_does_not_start(self, env: dict[str, str], sentence: str) -> None:
        with pytest.raises(ConfigError, match=sentence):
            ServiceAuthSettings.from_env(env)

    @pytest.mark.parametrize(
        ("env", "sentence"),
        [
            ({}, "USER_JWKS_URL or USER_JWT_SECRET is needed"),
            ({"USER_JWT_SECRET": USER_SECRET, "USER_JWKS_URL": "https://keys.example"}, "only one of them"),
            ({"USER_JWT_SECRET": "short"}, "USER_JWT_SECRET is wrong"),
        ],
    )
    def test_users_need_one_way_in(self, env: dict[str, str], sentence: str) -> None:
        with pytest.raises(ConfigError, match=sentence):
            UserAuthSettings.from_env(env)

    def test_a_refused_secret_is_not_repeated(self) -> None:
        with pytest.raises(ConfigError) as refused:
            ServiceAuthSettings.from_env({"INTERNAL_API_KEY": "hunter2"})

        assert "hunter2" not in str(refused.value)


def accepted(check: Authenticator, request: Request, access: Access) -> bool:
    try:
        check(request, access)
    except Unauthenticated:
        return False
    return True
