"""The database's settings, and the addresses they may hold."""

from __future__ import annotations

import ssl

import pytest

from shared.adapters.postgres.address import Address
from shared.adapters.postgres.connection import PostgresSettings
from shared.domain.errors import ConfigError

INSTANCE = {
    "CLOUD_SQL_INSTANCE": "project:region:instance",
    "DATABASE_NAME": "archive",
    "DATABASE_USER": "drain@project.iam",
}
URL = "postgresql://someone:s3cret@127.0.0.1:5433/archive"


@pytest.mark.parametrize("env", [{"DATABASE_URL": URL}, INSTANCE])
def test_an_address_or_an_instance_is_enough(env: dict[str, str]) -> None:
    PostgresSettings.from_env(env)


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"DATABASE_NAME": "archive", "DATABASE_USER": "someone"},
        {"CLOUD_SQL_INSTANCE": "project:region:instance"},
        {"DATABASE_URL": URL, **INSTANCE},
    ],
)
def test_none_or_half_or_both_are_refused_naming_both(env: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"(?s)DATABASE_URL.*CLOUD_SQL_INSTANCE"):
        PostgresSettings.from_env(env)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://someone:s3cret@host/archive",
        "postgresql://host/archive",
        "postgresql://someone:s3cret@host",
        "postgresql://someone:s3cret/half@host/archive",
        "postgresql://someone:s3cret@host:port/archive",
        "postgresql://someone:s3cret@host/archive?sslmode=prefer",
        "postgresql://someone:s3cret@host/archive?options=-c",
    ],
)
def test_a_malformed_address_is_refused_without_showing_the_password(url: str) -> None:
    with pytest.raises(ConfigError, match="DATABASE_URL is wrong") as refusal:
        PostgresSettings.from_env({"DATABASE_URL": url})

    assert "s3cret" not in refusal.value.message


def test_a_malformed_instance_is_refused() -> None:
    with pytest.raises(ConfigError, match="CLOUD_SQL_INSTANCE is wrong"):
        PostgresSettings.from_env({**INSTANCE, "CLOUD_SQL_INSTANCE": "instance"})


def test_an_instance_of_a_domains_project_is_taken() -> None:
    settings = PostgresSettings.from_env({**INSTANCE, "CLOUD_SQL_INSTANCE": "example.com:project:region:instance"})

    assert settings.cloud_sql_instance == "example.com:project:region:instance"


def test_no_representation_shows_the_password() -> None:
    settings = PostgresSettings.from_env({"DATABASE_URL": URL})

    assert "s3cret" not in f"{settings!r}{settings}{Address.parse(URL)!r}"


def test_escaped_characters_are_read() -> None:
    address = Address.parse("postgres://some%40one:p%2Fw%3A@[::1]/da%20ta")

    assert (address.user, address.password, address.host, address.port, address.database) == (
        "some@one",
        "p/w:",
        "::1",
        5432,
        "da ta",
    )


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u@127.0.0.1/d",
        "postgresql://u@localhost/d",
        "postgresql://u@[::1]/d",
        "postgresql://u@db.example/d?sslmode=disable",
    ],
)
def test_loopback_and_an_express_wish_go_without_tls(url: str) -> None:
    assert Address.parse(url).ssl_context() is False


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u@db.example/d",
        "postgresql://u@db.example/d?sslmode=require",
        "postgresql://u@127.0.0.1/d?sslmode=verify-full",
    ],
)
def test_everywhere_else_the_certificate_and_its_name_are_checked(url: str) -> None:
    context = Address.parse(url).ssl_context()

    assert isinstance(context, ssl.SSLContext)
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
