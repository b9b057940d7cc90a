"""The alert policies as data: what was asked for is there to the letter, and what is wrong is refused."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from scripts.local.functions import FOLDER, ROOT
from shared.observability import alerts
from shared.observability.alerts import Absence, LogMatch, Policies, Threshold
from tests.observability import scenarios
from tests.observability.log_filter import compiled, fields

FILE = Path(alerts.__file__).with_name("alerts.json")
DAY = 86_400
RUN_STOPPED = {"action": "archive.run_stopped", "stoppedBecause": "paperless_auth"}


def policy(name: str) -> Threshold | Absence | LogMatch:
    return alerts.known().by_id()[name]


def matches(name: str, **payload: object) -> bool:
    return compiled(policy(name).filter)({"jsonPayload": payload})


def test_a_single_dead_letter_is_a_p1() -> None:
    found = policy("dead_letters_present")

    assert isinstance(found, Threshold)
    assert (found.priority, found.metric, found.threshold, found.duration_seconds) == ("P1", "archive_dlq_depth", 0, 0)
    assert matches("dead_letters_present", metric="archive_dlq_depth", value=1)
    assert not matches("dead_letters_present", metric="archive_dlq_depth", value=0)


def test_more_than_500_documents_for_15_minutes_are_a_p2() -> None:
    found = policy("queue_backlog")

    assert isinstance(found, Threshold)
    assert (found.priority, found.metric, found.duration_seconds) == ("P2", "archive_queue_depth", 900)
    assert matches("queue_backlog", metric="archive_queue_depth", value=501)
    assert not matches("queue_backlog", metric="archive_queue_depth", value=500)


def test_ten_minutes_without_a_run_are_a_p2() -> None:
    found = policy("drain_not_invoked")

    assert isinstance(found, Absence)
    assert (found.priority, found.metric, found.duration_seconds) == ("P2", "archive_run_started", 600)


def test_more_than_5_failures_in_an_hour_are_a_p2() -> None:
    found = policy("jobs_failing")

    assert isinstance(found, Threshold)
    assert (found.priority, found.metric) == ("P2", "archive_jobs_failed_total")
    assert (found.threshold, found.window_seconds, found.duration_seconds) == (5, 3600, 0)


def test_a_401_of_paperless_is_a_p1_told_at_once() -> None:
    found = policy("paperless_unauthorized")

    assert isinstance(found, LogMatch)
    assert (found.priority, found.function) == ("P1", "archiver-drain")
    assert matches("paperless_unauthorized", **RUN_STOPPED)


@pytest.mark.parametrize(
    ("name", "days"),
    [("dead_letter_one_day_old", 1), ("dead_letter_three_days_old", 3), ("dead_letter_six_days_old", 6)],
)
def test_a_dead_letter_is_told_of_again_as_it_ages(name: str, days: int) -> None:
    metric = "archive_dlq_oldest_age_seconds"

    assert matches(name, metric=metric, value=days * DAY)
    assert not matches(name, metric=metric, value=days * DAY - 1)


def test_every_alert_is_fired_by_an_incident_that_is_tried() -> None:
    tried = {name for incident in scenarios.INCIDENTS for name in incident.alerts}

    assert tried == set(alerts.known().by_id())


def test_every_filter_looks_only_into_the_payload_and_is_understood() -> None:
    for each in alerts.known().policies:
        compiled(each.filter)
        assert all(path.startswith("jsonPayload.") for path in fields(each.filter)), each.id


def test_every_alert_watches_a_function_that_exists() -> None:
    functions = {path.name for path in FOLDER.iterdir() if (path / "function.json").is_file()}

    assert {each.function for each in alerts.known().policies} <= functions


def test_every_command_among_the_first_moves_exists() -> None:
    words = " ".join(move for each in alerts.known().policies for move in each.moves).split()

    commands = {word.rstrip(",;:.") for word in words if word.startswith("scripts/")}

    assert commands
    assert not {command for command in commands if not (ROOT / command).is_file()}


def test_no_two_alerts_have_the_same_title_or_filter() -> None:
    found = alerts.known().policies

    assert len({each.title for each in found}) == len({each.filter for each in found}) == len(found)


def changed(name: str, **fields: object) -> str:
    tree = copy.deepcopy(json.loads(FILE.read_text()))
    entry: dict[str, Any] = tree["policies"][name]
    entry |= fields
    tree["policies"][name] = {key: value for key, value in entry.items() if value is not None}
    return json.dumps(tree)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"kind": "sometimes"}, "threshold"),
        ({"severity": "WARNING"}, "P1 is CRITICAL"),
        ({"priority": "P3"}, "P1"),
        ({"filter": 'jsonPayload.metric="archive_nothing"'}, "no metric is called archive_nothing"),
        ({"filter": " "}, "filter"),
        ({"threshold": None}, "threshold"),
        ({"threshold": "0"}, "threshold"),
        ({"threshold": -1}, "threshold"),
        ({"window_seconds": 90}, "window_seconds"),
        ({"window_seconds": 0}, "window_seconds"),
        ({"rate_limit_seconds": 3600}, "rate_limit_seconds"),
        ({"moves": ["look", "think"]}, "moves"),
        ({"moves": ["look", "think", ""]}, "moves"),
        ({"moves": ["look", "think", "act", "rest"]}, "moves"),
        ({"means": None}, "means"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_is_wrong_with_a_policy_is_refused(fields: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Policies.parse(changed("dead_letters_present", **fields))


@pytest.mark.parametrize("text", ["{}", '{"auto_close_seconds": 1800, "policies": {}}', "[]", "{"])
def test_a_file_without_policies_is_refused(text: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        Policies.parse(text)


def test_an_absence_needs_two_minutes_at_least_and_a_day_at_most() -> None:
    for seconds in (60, DAY):
        with pytest.raises(ValueError, match="duration_seconds"):
            Policies.parse(changed("drain_not_invoked", duration_seconds=seconds))
