"""The only place where an HTTP answer of Paperless becomes a value or a PaperlessError."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx
from pydantic import Field, SecretStr, field_validator

from shared.config import Settings
from shared.domain.retry import Fault, PaperlessError, Stage

# The only version that 2.20 and 3.x both speak; without it `/api/tasks/` changes shape between them.
ACCEPT = "application/json; version=9"
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL)


class PaperlessSettings(Settings):
    """Where Paperless is and how we are let in."""

    url: str = Field(alias="PAPERLESS_URL", description="the address of Paperless, for example https://archive.example")
    token: SecretStr = Field(alias="PAPERLESS_API_TOKEN", description="an API token of the drain's own user")
    public_url: str | None = Field(
        None, alias="PAPERLESS_PUBLIC_URL", description="the address people open, if it is another one"
    )
    access_client_id: SecretStr | None = Field(
        None, alias="CF_ACCESS_CLIENT_ID", description="the id of a Cloudflare Access service token"
    )
    access_client_secret: SecretStr | None = Field(
        None, alias="CF_ACCESS_CLIENT_SECRET", description="the secret of that service token"
    )
    timeout: float = Field(30.0, alias="PAPERLESS_TIMEOUT_SECONDS", gt=0, description="seconds one request may take")
    upload_timeout: float = Field(
        50.0, alias="PAPERLESS_UPLOAD_TIMEOUT_SECONDS", gt=0, description="seconds one upload may take"
    )

    @field_validator("url", "public_url")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value is not None and (urlsplit(value).scheme not in ("http", "https") or not urlsplit(value).netloc):
            raise ValueError("not an http or https address")
        return value and value.rstrip("/")

    def headers(self) -> dict[str, str]:
        """Sent with every call. No Accept-Language: error texts would change with it."""
        headers = {"Authorization": f"Token {self.token.get_secret_value()}", "Accept": ACCEPT}
        if self.access_client_id and self.access_client_secret:
            headers["CF-Access-Client-Id"] = self.access_client_id.get_secret_value()
            headers["CF-Access-Client-Secret"] = self.access_client_secret.get_secret_value()
        return headers


class Transport:
    """One shared client; redirects are never followed, and a 2xx must be JSON."""

    def __init__(self, settings: PaperlessSettings, transport: httpx.BaseTransport | None = None) -> None:
        self._settings = settings
        self._client = httpx.Client(
            base_url=settings.url,
            headers=settings.headers(),
            timeout=settings.timeout,
            follow_redirects=False,
            trust_env=False,
            transport=transport,
        )
        self.announced: str | None = None

    def get(self, path: str, params: Mapping[str, str | int] | None = None) -> Any:
        return self._json(self._client.build_request("GET", path, params=params))

    def post(self, path: str, payload: object) -> Any:
        return self._json(self._client.build_request("POST", path, json=payload))

    def upload(self, path: str, fields: Mapping[str, Any], file_name: str, content: bytes) -> Any:
        request = self._client.build_request(
            "POST",
            path,
            data=fields,
            files={"document": (file_name, content, "application/pdf")},
            timeout=self._settings.upload_timeout,
        )
        return self._json(request, uploading=True)

    def close(self) -> None:
        self._client.close()

    def _json(self, request: httpx.Request, *, uploading: bool = False) -> Any:
        response = self._send(request, uploading=uploading)
        self.announced = response.headers.get("X-Version", self.announced)
        is_json = response.headers.get("Content-Type", "").startswith("application/json")
        if response.is_success and is_json:
            try:
                return response.json()
            except ValueError:
                is_json = False
        raise PaperlessError(
            Fault(
                Stage.ANSWERED,
                uploading=uploading,
                status=response.status_code,
                is_json=is_json,
                body=response.text[:500],
                retry_after=_seconds(response.headers.get("Retry-After")),
            )
        )

    def _send(self, request: httpx.Request, *, uploading: bool) -> httpx.Response:
        try:
            return self._client.send(request)
        except _UNSENT as exc:
            raise PaperlessError(Fault(Stage.UNSENT, uploading=uploading, body=type(exc).__name__)) from exc
        except httpx.RequestError as exc:
            raise PaperlessError(Fault(Stage.SENT, uploading=uploading, body=type(exc).__name__)) from exc


def _seconds(header: str | None) -> float | None:
    return float(header) if header and header.isdecimal() else None
