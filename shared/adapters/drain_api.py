"""archiver-drain over HTTP, asked for a run outside its schedule."""

from __future__ import annotations

from collections.abc import Callable

import httpx
from pydantic import Field

from shared.config import Settings
from shared.domain.errors import Unavailable

LAST_CALLS = 60.0
"""Seconds that a run may go on beyond its budget, for what it had begun."""


class DrainApiSettings(Settings):
    """Where archiver-drain is, and the audience it wants if it knows us by our identity."""

    url: str = Field(alias="ARCHIVER_DRAIN_URL", description="the address of archiver-drain")
    audience: str | None = Field(
        None, alias="ARCHIVER_DRAIN_AUDIENCE", description="the audience of a Google identity token, instead of the key"
    )


class HttpDrain:
    """One call is one run, which it waits for."""

    def __init__(self, settings: DrainApiSettings, sign: Callable[[httpx.Request], httpx.Request]) -> None:
        self._client = httpx.Client(base_url=settings.url, auth=sign, trust_env=False)

    def run(self, budget_seconds: float) -> dict[str, object]:
        asked = {"budgetSeconds": budget_seconds}
        try:
            answer = self._client.post("/", json=asked, timeout=httpx.Timeout(10.0, read=budget_seconds + LAST_CALLS))
            answer.raise_for_status()
            report: dict[str, object] = answer.json()
        except httpx.HTTPStatusError as exc:
            raise Unavailable(f"archiver-drain answered {exc.response.status_code}") from exc
        except (httpx.HTTPError, ValueError) as exc:
            raise Unavailable(f"archiver-drain did not answer: {type(exc).__name__}") from exc
        return report

    def close(self) -> None:
        self._client.close()
