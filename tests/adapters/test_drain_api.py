"""archiver-drain asked for a run, over HTTP."""

from __future__ import annotations

import json

import pytest
from pydantic import SecretStr

from shared.adapters.audit_api.credentials import credentials
from shared.adapters.drain_api import DrainApiSettings, HttpDrain
from shared.domain.errors import ConfigError, Unavailable
from tests.adapters.loopback import Loopback, answer, loopback


def drain_at(server: Loopback) -> HttpDrain:
    settings = DrainApiSettings.from_env({"ARCHIVER_DRAIN_URL": f"{server.url}/archiver-drain"})
    return HttpDrain(settings, credentials(SecretStr("an-internal-api-key"), settings.audience))


def test_a_run_is_asked_for_with_its_budget_and_its_report_comes_back() -> None:
    with loopback(lambda _: answer(200, b'{"stoppedBecause": "queue_empty"}')) as server:
        drain = drain_at(server)
        report = drain.run(30)
        drain.close()

    (request,) = server.requests
    assert report == {"stoppedBecause": "queue_empty"}
    assert (request.method, request.path, json.loads(request.body)) == (
        "POST",
        "/archiver-drain/",
        {"budgetSeconds": 30},
    )
    assert request.headers["X-Internal-Api-Key"] == "an-internal-api-key"


@pytest.mark.parametrize("said", [answer(503, b"{}"), answer(401), answer(200, b"<html>"), None])
def test_anything_else_is_unavailable(said: bytes | None) -> None:
    with loopback(lambda _: said) as server:
        drain = drain_at(server)
        with pytest.raises(Unavailable, match="archiver-drain"):
            drain.run(30)
        drain.close()


def test_without_an_address_it_says_which_variable_is_missing() -> None:
    with pytest.raises(ConfigError, match="ARCHIVER_DRAIN_URL is missing"):
        DrainApiSettings.from_env({})
