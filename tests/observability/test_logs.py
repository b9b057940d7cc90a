"""Log lines: what they hold, what they hide, and that writing one never fails."""

from __future__ import annotations

import json
import logging
import math
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from shared.domain.errors import ConfigError
from shared.observability import context
from shared.observability.lines import JsonLines
from shared.observability.logs import Log
from shared.observability.setup import LogSettings, StandardOutput, configure_logging

if TYPE_CHECKING:
    from collections.abc import Callable

    Written = Callable[[], list[dict[str, object]]]

log = Log("tests.logs")


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError


def record(**fields: object) -> logging.LogRecord:
    return logging.makeLogRecord({"msg": "a.thing", "levelname": "INFO", "fields": fields})


def line_of(**fields: object) -> dict[str, object]:
    line: dict[str, object] = json.loads(JsonLines().format(record(**fields)))
    return line


class TestLines:
    def test_an_event_has_the_fields_operators_search_by(self, written: Written) -> None:
        log.event("archive.queued", r2Key="org/1/invoice/a.pdf", documentId=UUID(int=7), durationMs=12.5)

        (line,) = written()
        when = datetime.fromisoformat(str(line.pop("timestamp")))
        assert abs((datetime.now(UTC) - when).total_seconds()) < 5
        assert line == {
            "severity": "INFO",
            "message": "archive.queued",
            "action": "archive.queued",
            "logger": "tests.logs",
            "r2Key": "org/1/invoice/a.pdf",
            "documentId": "00000000-0000-0000-0000-000000000007",
            "durationMs": 12.5,
        }

    def test_an_error_brings_its_stack_and_its_cause(self, written: Written) -> None:
        error = RuntimeError("no store")
        error.__cause__ = ConnectionError("refused")

        log.error("store.down", error=error)

        (line,) = written()
        assert (line["severity"], line["error"]) == ("ERROR", "RuntimeError: no store")
        assert "ConnectionError: refused" in str(line["stack_trace"])

    def test_a_warning_names_its_error_without_the_stack(self, written: Written) -> None:
        log.warning("store.slow", error=TimeoutError("2 s"))

        (line,) = written()
        assert (line["severity"], line["error"]) == ("WARNING", "TimeoutError: 2 s")
        assert "stack_trace" not in line

    def test_a_librarys_own_lines_are_json_too(self, written: Written) -> None:
        logging.getLogger("some.library").warning("retrying %s of %d", "PUT", 3)

        (line,) = written()
        assert (line["message"], line["logger"]) == ("retrying PUT of 3", "some.library")

    def test_no_field_can_pose_as_one_of_ours(self, written: Written) -> None:
        log.event("a.thing", severity="CRITICAL", timestamp="never", message="forged")

        (line,) = written()
        assert (line["severity"], line["message"]) == ("INFO", "a.thing")

    def test_a_line_stays_one_line(self, capsys: pytest.CaptureFixture[str], written: Written) -> None:
        log.event("a.thing", text="one\ntwo\r\u2028three")

        assert len(capsys.readouterr().out.splitlines()) == 1

    def test_bound_fields_are_on_every_line_of_their_block(self, written: Written) -> None:
        with context.bound(organizationId="o-1"):
            log.event("inside")
        log.event("outside")

        assert [line.get("organizationId") for line in written()] == ["o-1", None]


class TestSecrets:
    @pytest.mark.parametrize(
        "name", ["password", "API_KEY", "X-Internal-Api-Key", "Authorization", "accessToken", "clientSecret", "Cookie"]
    )
    def test_a_field_named_like_a_secret_is_not_shown(self, name: str) -> None:
        line = line_of(**{name: "hunter2"}, nested={name: "hunter2"}, listed=[{name: "hunter2"}])

        assert "hunter2" not in json.dumps(line)

    @pytest.mark.parametrize("name", ["idempotencyKey", "r2Key", "taskId", "keyId"])
    def test_other_keys_are(self, name: str) -> None:
        assert line_of(**{name: "shown"})[name] == "shown"

    def test_a_secret_value_is_not_shown_wherever_it_is(self) -> None:
        line = line_of(settings={"a": SecretStr("hunter2")}, value=SecretStr("hunter2"))

        assert "hunter2" not in json.dumps(line)

    @pytest.mark.parametrize(
        "text",
        [
            "cannot reach postgresql://app:hunter2@db:5432/x",
            "sent Authorization: Bearer hunter2hunter2hunter2",
            "sent Token hunter2hunter2hunter2",
            "PUT https://bucket/key?X-Amz-Signature=hunter2&X-Amz-Expires=60",
        ],
    )
    def test_a_secret_inside_a_text_is_not_shown(self, text: str) -> None:
        line = line_of(detail=text)

        assert "hunter2" not in json.dumps(line)
        assert str(line["detail"]).startswith(text[:10])

    def test_nor_inside_a_stack_trace_or_a_message(self, written: Written) -> None:
        error = ValueError("postgresql://app:hunter2@db")

        logging.getLogger("library").error("failed for postgresql://app:hunter2@db", exc_info=error)

        assert "hunter2" not in json.dumps(written())


class TestNeverFails:
    @pytest.mark.parametrize(
        "value", [math.nan, math.inf, Unprintable(), b"\xff", {1: {2: 3}}, "\ud800", {Unprintable()}, 10**30]
    )
    def test_any_value_becomes_valid_json(self, value: object) -> None:
        text = JsonLines().format(record(value=value))

        json.loads(text, parse_constant=pytest.fail)

    def test_a_value_that_holds_itself_ends_somewhere(self) -> None:
        loop: list[object] = []
        loop.append(loop)

        assert "value" in line_of(value=loop)

    def test_a_very_long_text_is_cut(self) -> None:
        assert len(str(line_of(value="x" * 1_000_000)["value"])) < 20_000

    def test_a_wrong_placeholder_does_not_cost_the_line(self) -> None:
        broken = logging.makeLogRecord({"msg": "%d of them", "args": ("many",)})

        assert json.loads(JsonLines().format(broken))["message"] == "%d of them"

    def test_a_closed_standard_output_does_not_cost_the_request(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Closed:
            def write(self, _: str) -> None:
                raise BrokenPipeError

        monkeypatch.setattr(sys, "stdout", Closed())

        StandardOutput().handle(record())

    @settings(max_examples=25)
    @given(
        st.dictionaries(st.text(min_size=1), st.recursive(st.none() | st.floats() | st.text() | st.binary(), st.lists))
    )
    def test_whatever_the_fields(self, fields: dict[str, object]) -> None:
        line = line_of(**fields)

        assert line["message"] == "a.thing"


class TestConfigure:
    def test_info_is_written_though_the_framework_had_set_warning(self, root: logging.Logger, written: Written) -> None:
        root.setLevel(logging.WARNING)

        configure_logging(LogSettings())
        log.event("a.thing")

        assert len(written()) == 1

    def test_twice_is_once(self, written: Written) -> None:
        configure_logging(LogSettings())
        configure_logging(LogSettings())
        log.event("a.thing")

        assert len(written()) == 1

    def test_standard_output_is_found_when_the_line_is_written(
        self, written: Written, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        path = tmp_path_factory.mktemp("out") / "later"
        with path.open("w") as later:
            monkeypatch.setattr(sys, "stdout", later)
            log.event("a.thing")

        assert '"a.thing"' in path.read_text()

    def test_a_person_gets_columns(self, root: logging.Logger, capsys: pytest.CaptureFixture[str]) -> None:
        configure_logging(LogSettings.from_env({"LOG_FORMAT": "text"}))

        log.event("archive.queued", r2Key="org/1/a.pdf")

        line = capsys.readouterr().out
        assert line.rstrip().endswith("INFO     archive.queued  r2Key=org/1/a.pdf")

    def test_clients_that_log_every_request_are_quieted(self, written: Written) -> None:
        logging.getLogger("httpx").info("HTTP Request: GET https://paperless/api/")

        assert written() == []

    @pytest.mark.parametrize(
        ("name", "value"), [("LOG_FORMAT", "xml"), ("LOG_LEVEL", "LOUD"), ("LOG_BACKEND", "syslog")]
    )
    def test_a_wrong_setting_is_refused_by_its_name(self, name: str, value: str) -> None:
        with pytest.raises(ConfigError, match=f"{name} is wrong"):
            LogSettings.from_env({name: value})
