"""The alerts fed with the log lines of real incidents: each fires when it must, once, and else is silent."""

from __future__ import annotations

import pytest

from tests.observability import scenarios
from tests.observability.watched_site import watched


def test_a_normal_day_wakes_nobody() -> None:
    with watched() as site:
        scenarios.normal_day(site)

    assert site.incidents() == {}


@pytest.mark.parametrize("incident", scenarios.INCIDENTS, ids=lambda incident: incident.name)
def test_an_incident_fires_its_alerts_once_and_no_others(incident: scenarios.Incident) -> None:
    with watched() as site:
        incident.happen(site)

    assert {name: len(found) for name, found in site.incidents().items()} == dict.fromkeys(incident.alerts, 1)


@pytest.mark.parametrize("trifle", scenarios.TRIFLES, ids=lambda trifle: trifle.name)
def test_what_passes_by_itself_wakes_nobody(trifle: scenarios.Incident) -> None:
    with watched() as site:
        trifle.happen(site)

    assert site.incidents() == {}
