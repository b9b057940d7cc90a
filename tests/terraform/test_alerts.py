"""Each alert of the specification is in the plan with its exact threshold, and so is every other in alerts.json."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.terraform_checks.plans import Plan
from shared.observability import alerts, metrics


def policy(plan: Plan, name: str) -> dict[str, Any]:
    (found,) = [each for each in plan.values("google_monitoring_alert_policy") if each["user_labels"]["policy"] == name]
    return found


def counted(plan: Plan, name: str) -> str:
    (found,) = [each["filter"] for each in plan.values("google_logging_metric") if each["name"] == f"alert_{name}"]
    return str(found)


def threshold(plan: Plan, name: str) -> tuple[float, str, str]:
    condition = policy(plan, name)["conditions"][0]["condition_threshold"][0]
    assert condition["comparison"] == "COMPARISON_GT"
    return condition["threshold_value"], condition["duration"], condition["aggregations"][0]["alignment_period"]


def test_a_dead_letter_is_a_p1(production: Plan) -> None:
    assert policy(production, "dead_letters_present")["severity"] == "CRITICAL"
    assert 'jsonPayload.metric="archive_dlq_depth" AND jsonPayload.value>0' in counted(
        production, "dead_letters_present"
    )
    assert threshold(production, "dead_letters_present")[:2] == (0, "0s")


def test_more_than_500_in_the_queue_for_15_minutes_is_a_p2(production: Plan) -> None:
    assert policy(production, "queue_backlog")["severity"] == "WARNING"
    assert 'jsonPayload.metric="archive_queue_depth" AND jsonPayload.value>500' in counted(production, "queue_backlog")
    assert threshold(production, "queue_backlog")[:2] == (0, "900s")


def test_a_drain_that_is_not_invoked_for_10_minutes_is_a_p2(production: Plan) -> None:
    condition = policy(production, "drain_not_invoked")["conditions"][0]["condition_absent"][0]

    assert policy(production, "drain_not_invoked")["severity"] == "WARNING"
    assert condition["duration"] == "600s"
    assert "archive_run_started" in counted(production, "drain_not_invoked")


def test_more_than_5_failures_in_an_hour_are_a_p2(production: Plan) -> None:
    assert policy(production, "jobs_failing")["severity"] == "WARNING"
    assert threshold(production, "jobs_failing") == (5, "0s", "3600s")


def test_a_refused_token_is_a_p1_at_once(production: Plan) -> None:
    found = policy(production, "paperless_unauthorized")

    assert found["severity"] == "CRITICAL"
    assert found["conditions"][0]["condition_matched_log"][0]["filter"].endswith(
        f"({alerts.known().by_id()['paperless_unauthorized'].filter})"
    )
    assert found["alert_strategy"][0]["notification_rate_limit"][0]["period"] == "3600s"


@pytest.mark.parametrize("name", sorted(alerts.known().by_id()))
def test_every_alert_says_what_it_means_and_what_to_do(environment: Plan, name: str) -> None:
    wanted, found = alerts.known().by_id()[name], policy(environment, name)

    assert found["severity"] == wanted.severity
    assert found["documentation"][0]["content"].startswith(wanted.means)
    assert all(move in found["documentation"][0]["content"] for move in wanted.moves)


def test_every_metric_is_collected(environment: Plan) -> None:
    collected = {each["name"] for each in environment.values("google_logging_metric")}

    assert set(metrics.known()) <= collected


def test_alerts_go_to_one_address(environment: Plan) -> None:
    (channel,) = environment.values("google_monitoring_notification_channel")

    assert (channel["type"], channel["labels"]["email_address"]) == ("email", "alerts@example.com")
