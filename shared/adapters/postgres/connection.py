"""Where the database is, by the settings, and how a connection to it is made."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Literal, Self

from pg8000.exceptions import InterfaceError
from pg8000.native import Connection
from pydantic import Field, SecretStr, field_validator, model_validator

from shared.adapters.postgres.address import Address
from shared.adapters.postgres.errors import translated
from shared.adapters.postgres.session import Session
from shared.config import Settings
from shared.domain.errors import ConfigError, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable
    from ssl import SSLContext

APPLICATION = "archivolt"
INSTANCE = r"^[^:\s]+(:[^:\s]+)?:[^:\s]+:[^:\s]+$"  # a project may carry its domain: example.com:project
EITHER = (
    "set either DATABASE_URL (postgresql://user:password@host:port/name) "
    "or CLOUD_SQL_INSTANCE (project:region:instance) with DATABASE_NAME and DATABASE_USER"
)
URL_OR_NOT = "postgresql://user:password@host:port/name, with ?sslmode=disable|require|verify-full; loopback needs none"


class PostgresSettings(Settings):
    """Which PostgreSQL: an address, or a Cloud SQL instance that is entered with our service account."""

    database_url: SecretStr | None = Field(default=None, description=URL_OR_NOT)
    cloud_sql_instance: str | None = Field(default=None, pattern=INSTANCE, description="project:region:instance")
    cloud_sql_ip_type: Literal["PRIVATE", "PUBLIC", "PSC"] = Field(
        default="PRIVATE", description="PRIVATE, PUBLIC or PSC: which address of the instance"
    )
    database_name: str | None = Field(default=None, description="the database in the Cloud SQL instance")
    database_user: str | None = Field(default=None, description="the IAM user, without .gserviceaccount.com")

    @field_validator("database_url")
    @classmethod
    def _is_an_address(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            Address.parse(value.get_secret_value())
        return value

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        by_instance = (self.cloud_sql_instance, self.database_name, self.database_user)
        if self.database_url is not None and any(by_instance):
            raise ValueError(f"DATABASE_URL and CLOUD_SQL_INSTANCE exclude each other: {EITHER}")
        if self.database_url is None and not all(by_instance):
            raise ValueError(f"DATABASE_URL, or else CLOUD_SQL_INSTANCE, DATABASE_NAME and DATABASE_USER: {EITHER}")
        return self


def connector(settings: PostgresSettings) -> Callable[[float], Session]:
    """A function that opens a session within so many seconds."""
    if settings.database_url is not None:
        return connector_to(settings.database_url.get_secret_value())
    # Its library takes a third of a second to import, which only those pay who use it.
    opener: Callable[[float], Session] = importlib.import_module("shared.adapters.postgres.cloud_sql").connector(
        settings
    )
    return opener


def connector_to(dsn: str) -> Callable[[float], Session]:
    try:
        address = Address.parse(dsn)
    except ValueError as exc:
        raise ConfigError(f"the database's address is wrong: {exc}") from exc
    # Left to itself the driver builds a context on every connect, verifies nothing and falls back to plain text.
    context = address.ssl_context()

    def connect(seconds: float) -> Session:
        try:
            with translated():
                return Session(_open(address, context, seconds))
        except InterfaceError as exc:
            raise Unavailable(f"the database at {address.host}:{address.port} cannot be reached") from exc

    return connect


def _open(address: Address, context: SSLContext | Literal[False], seconds: float) -> Connection:
    return Connection(
        address.user,
        host=address.host,
        port=address.port,
        database=address.database,
        password=address.password,
        ssl_context=context,
        timeout=seconds,
        application_name=APPLICATION,
    )
