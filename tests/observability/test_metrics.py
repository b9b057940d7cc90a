"""Metrics: only what metrics.json names, as lines that a log-based metric can read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from shared.observability import metrics

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = {
    "archive_jobs_processed_total": "counter",
    "archive_jobs_failed_total": "counter",
    "archive_queue_depth": "gauge",
    "archive_e2e_latency_seconds": "histogram",
    "archive_dlq_depth": "gauge",
}


def test_the_five_metrics_that_were_asked_for_are_there() -> None:
    assert {name: metrics.known()[name].kind for name in SEED} == SEED


def test_every_metric_is_described_and_has_a_kind_and_a_unit() -> None:
    for metric in metrics.known().values():
        assert metric.kind in {"counter", "gauge", "histogram"}
        assert metric.unit in {"1", "s"}
        assert metric.description.endswith(".")


def test_no_label_names_a_person_or_a_tenant() -> None:
    labels = {label for metric in metrics.known().values() for label in metric.labels}

    assert not {label for label in labels if "user" in label or "organization" in label or label.endswith("_id")}


def test_a_metric_is_a_line_with_its_name_value_and_labels(written: Callable[[], list[dict[str, object]]]) -> None:
    metrics.count("archive_jobs_processed_total", document_type="invoice")
    metrics.gauge("archive_queue_depth", 12)
    metrics.observe("archive_e2e_latency_seconds", 1.5, document_type="invoice")

    assert [(line["metric"], line["value"], line["labels"]) for line in written()] == [
        ("archive_jobs_processed_total", 1, {"document_type": "invoice"}),
        ("archive_queue_depth", 12, {}),
        ("archive_e2e_latency_seconds", 1.5, {"document_type": "invoice"}),
    ]


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="no metric is called archive_jobs_total"):
        metrics.count("archive_jobs_total")


@pytest.mark.parametrize("labels", [{}, {"document_type": "invoice", "user": "u"}, {"organization": "o"}])
def test_other_labels_than_the_listed_ones_are_refused(labels: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="takes the labels"):
        metrics.count("archive_jobs_processed_total", 1, **labels)


def test_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="archive_queue_depth is a gauge, not a counter"):
        metrics.count("archive_queue_depth")


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        metrics.gauge("archive_queue_depth", value)


def test_a_counter_never_goes_down() -> None:
    with pytest.raises(ValueError, match="cannot go down"):
        metrics.count("archive_canary_failed_total", -1)
