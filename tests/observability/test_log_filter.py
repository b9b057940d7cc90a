"""The filter language that the alerts are tried with behaves as Cloud Logging's own does."""

from __future__ import annotations

import pytest

from tests.observability.log_filter import WrongFilter, compiled, fields

LINE = {
    "severity": "ERROR",
    "jsonPayload": {"metric": "archive_queue_depth", "value": 501, "labels": {"function": "archiver-drain"}},
}


@pytest.mark.parametrize(
    "text",
    [
        'jsonPayload.metric="archive_queue_depth"',
        'jsonPayload.metric="ARCHIVE_QUEUE_DEPTH"',
        "jsonPayload.value>500",
        "jsonPayload.value>=501 AND jsonPayload.value<=501 AND jsonPayload.value=501",
        'jsonPayload.labels.function=("other" OR "archiver-drain")',
        'jsonPayload.labels.function=~"^archiver"',
        'NOT severity="INFO"',
        'severity!="INFO"',
        '(severity="INFO" OR severity="ERROR") AND jsonPayload.value<502',
    ],
)
def test_a_line_is_found_by_what_it_says(text: str) -> None:
    assert compiled(text)(LINE)


@pytest.mark.parametrize(
    "text",
    [
        "jsonPayload.value>501",
        'jsonPayload.metric="archive_queue"',
        'jsonPayload.metric>"500"',
        "jsonPayload.missing>0",
        'jsonPayload.missing!="x"',
        'jsonPayload.value.deeper="x"',
        'NOT severity=("INFO" OR "ERROR")',
    ],
)
def test_a_line_is_not_found_by_what_it_does_not_say(text: str) -> None:
    assert not compiled(text)(LINE)


def test_or_binds_more_tightly_than_and() -> None:
    found = compiled('severity="ERROR" OR severity="INFO" AND severity="INFO"')

    assert not found(LINE)


@pytest.mark.parametrize(
    "text", ["", "jsonPayload.value", "jsonPayload.value>", 'a="b" c', '(a="b"', 'a:"b"', 'a="b" AND', 'a=("b" "c")']
)
def test_a_filter_that_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(WrongFilter):
        compiled(text)


def test_the_fields_of_a_filter_can_be_told() -> None:
    assert fields('a.b="c" AND NOT d>1 OR e=("f" OR "g")') == {"a.b", "d", "e"}
