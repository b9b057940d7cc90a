"""Metrics are log lines; only the names, kinds and labels of metrics.json exist."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from shared.observability.logs import Log

if TYPE_CHECKING:
    from collections.abc import Mapping

log = Log(__name__)


@dataclass(frozen=True, slots=True)
class Metric:
    """One entry of metrics.json."""

    name: str
    kind: str
    unit: str
    labels: frozenset[str]
    description: str


def count(name: str, value: int = 1, **labels: str) -> None:
    """Something happened, `value` times."""
    if value < 0:
        raise ValueError(f"{name} is a counter and cannot go down by {-value}")
    _write(name, "counter", value, labels)


def gauge(name: str, value: float, **labels: str) -> None:
    """Something stands at `value` now."""
    _write(name, "gauge", value, labels)


def observe(name: str, value: float, **labels: str) -> None:
    """Something took, or measured, `value`."""
    _write(name, "histogram", value, labels)


def fields(name: str, kind: str, value: float, labels: Mapping[str, str]) -> dict[str, object]:
    """What makes a log line a metric's; refuses what metrics.json does not know."""
    metric = known().get(name)
    if metric is None:
        raise ValueError(f"no metric is called {name}; metrics.json lists them")
    if metric.kind != kind:
        raise ValueError(f"{name} is a {metric.kind}, not a {kind}")
    if metric.labels != labels.keys():
        raise ValueError(f"{name} takes the labels {sorted(metric.labels)}, not {sorted(labels)}")
    if not math.isfinite(value):
        raise ValueError(f"{name} cannot be {value}")
    return {"metric": name, "value": value, "labels": dict(labels)}


@cache
def known() -> Mapping[str, Metric]:
    entries = json.loads(Path(__file__).with_name("metrics.json").read_text("utf-8"))
    return {
        name: Metric(name, entry["kind"], entry["unit"], frozenset(entry["labels"]), entry["description"])
        for name, entry in entries.items()
    }


def _write(name: str, kind: str, value: float, labels: Mapping[str, str]) -> None:
    log.event("metric", **fields(name, kind, value, labels))
