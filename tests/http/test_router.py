"""The router, through a real function served by functions-framework."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING

import pytest

from shared.domain.errors import ConfigError
from shared.http.access import PUBLIC
from shared.http.responses import json_response
from shared.http.router import Call, Router
from shared.observability import metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Response
    from flask.testing import FlaskClient

    from tests.http.conftest import Lines

JSON = {"Content-Type": "application/json"}


def handler(call: Call) -> Response:
    return json_response("")


class TestRouting:
    def test_a_path_parameter_reaches_the_handler(self, client: FlaskClient) -> None:
        response = client.get("/items/b3JnLzE_-")

        assert response.get_json() == {"item_id": "b3JnLzE_-"}

    def test_the_more_specific_path_wins_whatever_the_order_of_adding(self, client: FlaskClient) -> None:
        response = client.get("/items/special")

        assert response.get_json() == "special"

    @pytest.mark.parametrize("path", ["/nothing", "/items", "/items/", "/items/1/", "/items/1/2", "//items/1"])
    def test_an_unknown_path_is_404(self, client: FlaskClient, path: str) -> None:
        response = client.get(path)

        assert response.status_code == 404
        assert response.get_json() == {"error": "There is nothing here by that name.", "code": "NOT_FOUND"}

    @pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "OPTIONS", "FOO"])
    def test_another_method_is_405_and_lists_the_allowed_ones(self, client: FlaskClient, method: str) -> None:
        response = client.open("/items/1", method=method)

        assert response.status_code == 405
        assert response.headers["Allow"] == "DELETE, GET, HEAD"
        assert response.get_json()["code"] == "METHOD_NOT_ALLOWED"

    def test_head_answers_as_get_without_the_body(self, client: FlaskClient) -> None:
        response = client.head("/items/1")

        assert response.status_code == 200
        assert response.data == b""
        assert response.headers["Content-Length"] == str(len(client.get("/items/1").data))

    def test_a_route_added_twice_is_refused(self) -> None:
        router = Router("twice", max_body=1)
        router.add("GET", "/a/{b}", handler, auth=PUBLIC)

        with pytest.raises(ValueError, match="is routed twice"):
            router.add("GET", "/a/{b}", handler, auth=PUBLIC)

    def test_two_names_for_one_parameter_are_refused(self) -> None:
        router = Router("names", max_body=1)
        router.add("GET", "/a/{b}", handler, auth=PUBLIC)

        with pytest.raises(ValueError, match="fit the same paths"):
            router.add("POST", "/a/{c}", handler, auth=PUBLIC)

    def test_a_route_that_needs_callers_to_be_known_is_refused_by_a_router_that_cannot_tell(self) -> None:
        router = Router("open", max_body=1)

        with pytest.raises(ConfigError, match="GET /a needs callers to be authenticated"):
            router.add("GET", "/a", handler)


class TestBodies:
    def test_a_body_of_just_the_limit_is_taken(self, client: FlaskClient) -> None:
        response = client.post("/", data=b"x" * 1000)

        assert response.get_json() == 1000

    def test_a_body_that_says_it_is_too_large_is_413(self, client: FlaskClient) -> None:
        response = client.post("/", data=b"x" * 1001)

        assert response.status_code == 413
        assert response.get_json()["code"] == "TOO_LARGE"

    @pytest.mark.parametrize(("size", "status"), [(1000, 200), (1001, 413), (500_000, 413)])
    def test_a_chunked_body_is_measured_while_it_is_read(
        self, address: tuple[str, int], size: int, status: int
    ) -> None:
        answered, _ = send_chunked(address, "/", size)

        assert answered == status

    def test_a_chunked_body_nobody_reads_does_not_spoil_the_answer(self, address: tuple[str, int]) -> None:
        status, body = send_chunked(address, "/ignored", 500_000)

        assert (status, body) == (200, "done")

    def test_a_refused_upload_is_read_to_its_end_so_that_the_client_sees_the_answer(
        self, address: tuple[str, int]
    ) -> None:
        connection = http.client.HTTPConnection(*address, timeout=5)

        connection.request("POST", "/", body=b"x" * 20_000_000)

        assert connection.getresponse().status == 413
        connection.close()

    @pytest.mark.parametrize("content_type", ["text/plain", "application/jsonp", ""])
    def test_another_content_type_is_415(self, client: FlaskClient, content_type: str) -> None:
        response = client.post("/notes", data='{"title": "a"}', headers={"Content-Type": content_type})

        assert response.status_code == 415
        assert "application/json" in response.get_json()["error"]

    def test_a_charset_does_not_matter_to_the_content_type(self, client: FlaskClient) -> None:
        response = client.post("/notes", data='{"title": "ø"}', content_type="application/json; charset=utf-8")

        assert response.get_json() == "ø"


class TestErrors:
    def test_the_callers_fault_is_told_as_it_was_raised(self, client: FlaskClient) -> None:
        response = client.get("/fail/conflict")

        assert response.status_code == 409
        assert response.get_json() == {"error": "There is another one.", "code": "CONFLICT"}

    def test_a_part_that_is_not_available_is_503_without_its_details(self, client: FlaskClient) -> None:
        response = client.get("/fail/store")

        assert response.status_code == 503
        assert response.get_json() == {"error": "A part we depend on is not available.", "code": "UNAVAILABLE"}
        assert response.headers["Retry-After"] == "30"

    def test_the_queues_failure_has_the_promised_body(self, client: FlaskClient) -> None:
        response = client.get("/fail/queue")

        assert response.status_code == 503
        assert response.get_json() == {
            "error": "Document archived pending. Retry in 5 minutes.",
            "code": "ARCHIVE_QUEUE_FAILURE",
        }
        assert response.headers["Retry-After"] == "300"

    def test_too_many_requests_say_when_to_come_back_in_whole_seconds(self, client: FlaskClient) -> None:
        response = client.get("/fail/throttled")

        assert (response.status_code, response.headers["Retry-After"]) == (429, "3")

    def test_the_unexpected_is_500_and_only_the_log_knows_more(self, client: FlaskClient, lines: Lines) -> None:
        response = client.get("/fail/bug")

        assert response.status_code == 500
        assert response.get_json() == {"error": "Something went wrong on our side.", "code": "INTERNAL_ERROR"}
        assert "an inner detail" in str(lines.of("http.unexpected")[0]["stack_trace"])

    def test_a_field_that_is_wrong_is_named(self, client: FlaskClient) -> None:
        response = client.post("/notes", data='{"title": 1}', headers=JSON)

        assert response.status_code == 422
        assert response.get_json()["field"] == "title"


class TestLines:
    def test_each_request_is_one_line_with_its_pattern_and_not_its_path(
        self, client: FlaskClient, lines: Lines
    ) -> None:
        client.get("/items/42", headers={"X-Request-Id": "r-1"})

        (line,) = lines.of("http.request")
        assert (line["severity"], line["method"], line["route"], line["status"]) == (
            "INFO",
            "GET",
            "/items/{item_id}",
            200,
        )
        assert line["requestId"] == "r-1"
        assert "42" not in json.dumps(
            {**line, "durationMs": 0, "value": 0, "timestamp": "", "logging.googleapis.com/trace": ""}
        )

    def test_a_failure_of_ours_is_an_error(self, client: FlaskClient, lines: Lines) -> None:
        client.get("/fail/store")

        assert lines.of("http.request")[0]["severity"] == "ERROR"

    def test_a_path_nobody_knows_and_a_method_nobody_uses_make_no_new_series(
        self, client: FlaskClient, lines: Lines
    ) -> None:
        client.open("/wp-login.php", method="FOO")

        assert lines.of("http.request")[0]["labels"] == {
            "function": "sample",
            "method": "OTHER",
            "route": "unmatched",
            "status": "404",
        }

    def test_the_line_is_the_requests_metric(self, client: FlaskClient, lines: Lines) -> None:
        client.get("/items/1")

        (line,) = lines.of("http.request")
        assert line["metric"] in metrics.known()
        assert line["value"] == pytest.approx(float(str(line["durationMs"])) / 1000, abs=1e-5)

    def test_the_request_id_comes_back(self, client: FlaskClient) -> None:
        response = client.get("/items/1", headers={"X-Request-Id": "r-1"})

        assert response.headers["X-Request-Id"] == "r-1"

    def test_the_callers_trace_is_named_as_cloud_logging_expects(self, client: FlaskClient, lines: Lines) -> None:
        client.get("/items/1", headers={"traceparent": f"00-{'ab' * 16}-{'cd' * 8}-01"})

        (line,) = lines.of("http.request")
        assert line["logging.googleapis.com/trace"] == f"projects/a-project/traces/{'ab' * 16}"
        assert line["logging.googleapis.com/spanId"] == "cd" * 8
        assert line["logging.googleapis.com/labels"] == {"function": "sample"}


def send_chunked(address: tuple[str, int], path: str, size: int) -> tuple[int, object]:
    def chunks() -> Iterator[bytes]:
        for start in range(0, size, 10_000):
            yield b"x" * min(10_000, size - start)

    connection = http.client.HTTPConnection(*address, timeout=5)
    connection.request("POST", path, body=chunks(), encode_chunked=True, headers={"Transfer-Encoding": "chunked"})
    response = connection.getresponse()
    body = json.loads(response.read())
    connection.close()
    return response.status, body
