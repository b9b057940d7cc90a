"""The limits of a run, and its report."""

from __future__ import annotations

import json

import pytest

from shared.domain.drain import DrainOptions, DrainReport, Ending, Stop
from tests.domain.samples import NOW


@pytest.mark.parametrize(("window", "shards", "slots"), [(4, 1, 4), (4, 2, 2), (4, 3, 1), (4, 64, 1), (1, 1, 1)])
def test_the_window_is_divided_among_the_shards_and_nobody_gets_none(window: int, shards: int, slots: int) -> None:
    assert DrainOptions(window=window, shards=shards).slots == slots


def test_a_run_ends_well_before_the_next_begins() -> None:
    options = DrainOptions()

    assert options.budget_seconds + options.upload_timeout < 300


def test_a_report_says_why_it_stopped_and_counts_every_ending() -> None:
    report = DrainReport("run", NOW, stop=Stop.BUDGET)
    report.endings[Ending.ARCHIVED] += 2

    shown = json.loads(json.dumps(report.as_json()))

    assert (shown["stoppedBecause"], shown["archived"], shown["dead"]) == ("budget_spent", 2, 0)
    assert {ending.value for ending in Ending} <= shown.keys()
