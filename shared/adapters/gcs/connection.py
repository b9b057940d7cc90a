"""Who we are to Google Cloud Storage, one client for the process, and who signs upload addresses."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import google.auth
from google.auth import compute_engine
from google.auth.credentials import AnonymousCredentials, Credentials, Signing
from google.auth.exceptions import DefaultCredentialsError
from google.auth.transport.requests import AuthorizedSession, Request
from google.cloud.storage import Client
from pydantic import Field
from requests.adapters import HTTPAdapter

from shared.config import Settings
from shared.domain.errors import ConfigError

SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)


class GCSSettings(Settings):
    """Which project; who we are comes from where we run."""

    project: str | None = Field(None, alias="GCS_PROJECT", description="the project of the buckets, if not our own")
    emulator: str | None = Field(
        None, alias="STORAGE_EMULATOR_HOST", description="the address of an emulator, in tests", pattern="^https?://"
    )


@dataclass(frozen=True, slots=True)
class Connection:
    """A client for the process, which threads may share, and the credentials that can sign for it."""

    client: Client
    credentials: Credentials
    timeout: tuple[float, float] = (3, 30)


def connect(settings: GCSSettings) -> Connection:
    if settings.emulator is not None:
        anonymous = AnonymousCredentials()
        return Connection(_client(anonymous, settings.project, settings.emulator), anonymous)
    try:
        credentials, project = google.auth.default(scopes=SCOPES)
    except DefaultCredentialsError as exc:
        raise ConfigError("no Google credentials here: run as a service account, or log in with gcloud") from exc
    return Connection(_client(credentials, settings.project or project), credentials)


def _client(credentials: Credentials, project: str | None, endpoint: str | None = None) -> Client:
    # Else the SDK asks for the metadata of each bucket behind our back, with a right we do not have. No other switch.
    os.environ.setdefault("DISABLE_GCS_PYTHON_CLIENT_OTEL_BUCKET_METADATA", "true")
    session = AuthorizedSession(credentials)
    # The session's own pool is of ten, and drops a connection for every thread beyond.
    session.mount("https://", HTTPAdapter(pool_maxsize=64))
    options = {} if endpoint is None else {"api_endpoint": endpoint}
    return Client(project=project, credentials=credentials, _http=session, client_options=options)


def signer(credentials: Credentials) -> dict[str, Any]:
    """A key signs by itself; a service account without one asks the IAM service. `Any`: the SDK's arguments."""
    if isinstance(credentials, Signing):
        return {"credentials": credentials}
    if not isinstance(credentials, compute_engine.Credentials):
        raise ConfigError("these Google credentials cannot sign upload addresses: run as a service account")
    if not credentials.valid:
        credentials.refresh(Request())
    return {"service_account_email": credentials.service_account_email, "access_token": credentials.token}
