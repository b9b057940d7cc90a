"""dlq-alert as its operators call it, for the command scripts/dead_letters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Self

import httpx

from shared.domain.keys import ObjectKey

Json = dict[str, Any]

PAGE = 100
SECONDS_PER_CALL = 60.0
SECONDS_PER_RUN = 330.0  # a run of the drain may take its whole budget before it answers

_BEGINNING = re.compile(r"[0-9a-f]{6,64}")


class Refused(Exception):
    """dlq-alert did not do what was asked of it; the message is what it said."""


class DeadLetters:
    """The dead letters, the pauses and the drain's runs."""

    def __init__(self, url: str, api_key: str) -> None:
        headers = {"X-Internal-Api-Key": api_key}
        try:
            self._client = httpx.Client(base_url=url, headers=headers, timeout=SECONDS_PER_CALL, trust_env=False)
        except httpx.InvalidURL as error:
            raise Refused(f"{url} is no address: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def page(self, filters: Mapping[str, str], limit: int = PAGE, cursor: str | None = None) -> Json:
        given = {**filters, "limit": str(limit)} | ({"cursor": cursor} if cursor else {})
        return self._ask("GET", "/v1/dead-letters", params=given)

    def pages(self, filters: Mapping[str, str], limit: int | None = None) -> Iterator[Json]:
        """Page after page, until there are no more or `limit` letters were seen."""
        cursor, left = None, limit
        while left is None or left > 0:
            page = self.page(filters, PAGE if left is None else min(PAGE, left), cursor)
            yield page
            if not page["more"]:
                return
            cursor, left = page["cursor"], None if left is None else left - len(page["letters"])

    def find(self, name: str) -> str:
        """The id of a letter that is named by its id, its object key or the beginning of its SHA-256."""
        key = ObjectKey.parse(name.removeprefix("kept/"))
        if key is not None:
            return key.job_id
        if ObjectKey.from_job_id(name) is not None:
            return name
        if not _BEGINNING.fullmatch(name.lower()):
            raise Refused(f"{name} is neither an id nor the beginning of a SHA-256 (at least 6 digits)")
        found = {
            letter["id"]
            for page in self.pages({})
            for letter in (*page["letters"], *page["strays"])
            if letter["sha256"].startswith(name.lower())
        }
        if len(found) != 1:
            what = f"{len(found)} letters begin" if found else "no letter begins"
            raise Refused(f"{what} with {name}; scripts/dead_letters list --json shows whole ids")
        return str(found.pop())

    def letter(self, letter_id: str) -> Json:
        return self._ask("GET", f"/v1/dead-letters/{letter_id}")

    def redrive(self, selection: Mapping[str, object], actor: str, cursor: str | None = None) -> Json:
        return self._ask("POST", "/v1/dead-letters/redrive", json={**selection, "actor": actor, "cursor": cursor})

    def discard(self, letter_id: str, reason: str, actor: str) -> Json:
        return self._ask("POST", f"/v1/dead-letters/{letter_id}/discard", json={"reason": reason, "actor": actor})

    def pause(self, organization: str | None, reason: str, actor: str) -> Json:
        return self._ask("POST", "/v1/pauses", json={"organizationId": organization, "reason": reason, "actor": actor})

    def resume(self, organization: str | None, actor: str) -> bool:
        whose = {"organizationId": organization} if organization else {}
        return bool(self._ask("DELETE", "/v1/pauses", params={"actor": actor, **whose})["resumed"])

    def run_now(self, actor: str, budget_seconds: float) -> Json:
        asked = {"actor": actor, "budgetSeconds": budget_seconds}
        report: Json = self._ask("POST", "/v1/runs", json=asked, timeout=SECONDS_PER_RUN)["report"]
        return report

    def _ask(self, method: str, path: str, **request: Any) -> Json:
        try:
            response = self._client.request(method, path, **request)
        except httpx.HTTPError as error:
            raise Refused(f"dlq-alert does not answer: {error or type(error).__name__}") from error
        if not response.is_success:
            raise Refused(_complaint(response))
        answer: Json = response.json()
        return answer


def _complaint(response: httpx.Response) -> str:
    try:
        said = response.json()
    except ValueError:
        return f"dlq-alert answered {response.status_code}"
    field = f" ({said['field']})" if said.get("field") else ""
    return f"{said.get('error', response.status_code)}{field}"
