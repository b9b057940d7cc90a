"""Reports to audit-callback, and the labels it remembers: what the drain needs of it."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

import httpx
from pydantic import BaseModel, Field, SecretStr, ValidationError, model_validator

from shared.adapters.audit_api.credentials import IDENTITY, credentials
from shared.config import Settings
from shared.domain.audit import ArchiveReport, OrganizationLabels
from shared.domain.callback import NO_DOCUMENT, LabelsMessage, ReportMessage
from shared.domain.errors import Unavailable

JSON = {"Content-Type": "application/json"}


class AuditApiSettings(Settings):
    """Where audit-callback is and how it knows us: a shared key, or this service's own identity."""

    url: str = Field(alias="AUDIT_CALLBACK_URL", description="the address of audit-callback")
    key: SecretStr | None = Field(None, alias="INTERNAL_API_KEY", description="the internal API key")
    audience: str | None = Field(
        None, alias="AUDIT_CALLBACK_AUDIENCE", description="the audience of a Google identity token, instead of the key"
    )
    timeout: float = Field(10.0, alias="AUDIT_CALLBACK_TIMEOUT_SECONDS", gt=0, description="seconds one call may take")

    @model_validator(mode="after")
    def _one_credential(self) -> AuditApiSettings:
        if self.key is None and self.audience is None:
            raise ValueError("INTERNAL_API_KEY or AUDIT_CALLBACK_AUDIENCE must be set")
        return self


class HttpAuditApi:
    """Every call is idempotent on the other side, so each may be repeated."""

    def __init__(self, settings: AuditApiSettings, identity: str = IDENTITY) -> None:
        """`identity` is where the platform hands out tokens of our own service account."""
        sign = credentials(settings.key, settings.audience, identity)
        self._client = httpx.Client(base_url=settings.url, timeout=settings.timeout, auth=sign, trust_env=False)

    def record(self, report: ArchiveReport) -> None:
        first = report.documents[0].document_id if report.documents else NO_DOCUMENT
        self._send("PATCH", f"/internal/v1/archive-audit/{first}", ReportMessage.of(report))

    def labels(self, organization_id: UUID) -> OrganizationLabels | None:
        response = self._send("GET", f"/internal/v1/paperless-cache/{organization_id}", accept=(404,))
        if response.status_code == 404:
            return None
        try:
            found = LabelsMessage.model_validate_json(response.content)
        except ValidationError as exc:
            raise Unavailable("audit-callback answered something else than labels") from exc
        return OrganizationLabels(found.paperless_correspondent_id, found.paperless_org_tag_id)

    def save_labels(self, organization_id: UUID, labels: OrganizationLabels) -> None:
        body = LabelsMessage(paperless_correspondent_id=labels.correspondent_id, paperless_org_tag_id=labels.tag_id)
        self._send("PUT", f"/internal/v1/paperless-cache/{organization_id}", body)

    def close(self) -> None:
        self._client.close()

    def _send(
        self,
        method: str,
        path: str,
        body: BaseModel | None = None,
        *,
        accept: tuple[int, ...] = (),
        params: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        content = body.model_dump_json(by_alias=True) if body else None
        try:
            response = self._client.request(method, path, content=content, params=params, headers=JSON)
        except httpx.HTTPError as exc:
            raise Unavailable(f"audit-callback did not answer: {type(exc).__name__}") from exc
        if response.is_success or response.status_code in accept:
            return response
        raise Unavailable(f"audit-callback answered {response.status_code}: {response.text[:200]}")
