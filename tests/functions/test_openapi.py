"""archive-write keeps what its OpenAPI document promises, to whatever is sent."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, assume, given, settings
from schemathesis import Case, CheckFunction, GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from shared.http.archive_contract import openapi
from tests.functions.conftest import Site
from tests.functions.hosting import served
from tests.functions.sending import AUTH
from tests.stand_ins.papers import letter

if TYPE_CHECKING:
    from flask.testing import FlaskClient

LARGEST = 100_000_000
PDF = letter("a letter of everybody")
QUICK = settings(
    max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
)

contract = schemathesis.openapi.from_dict(openapi(LARGEST))
contract.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
contract.config.checks.negative_data_rejection.expected_statuses.append("413")


@pytest.fixture(scope="module")
def address(site: Site) -> Iterator[str]:
    """Where the generated requests go."""
    with served("archive-write", site.env) as url:
        yield url


def test_the_document_that_is_served_is_the_one_that_is_tried(archive_write: FlaskClient) -> None:
    assert archive_write.get("/openapi.json").get_json() == openapi(LARGEST)


@contract.parametrize()
@QUICK
def test_every_answer_is_one_that_was_promised(address: str, case: Case[Any]) -> None:
    # No schema tells a PDF from other bytes, or whose digest it is, so what fits it may still be refused here.
    excluded: list[CheckFunction] = [positive_data_acceptance] if case.path == "/v1/archive" else []

    case.call_and_validate(address, headers=AUTH, excluded_checks=excluded)


@given(case=contract["/v1/archive"]["POST"].as_strategy(generation_mode=GenerationMode.POSITIVE))
@QUICK
def test_whatever_the_document_allows_beside_a_real_pdf_is_taken(archive_write: FlaskClient, case: Case[Any]) -> None:
    assume(case.media_type == "multipart/form-data")
    assert isinstance(case.body, dict)
    sent = {**case.body, "sha256": hashlib.sha256(PDF).hexdigest()}
    texts = {name: _as_text(value) for name, value in sent.items() if value is not None and name != "document"}

    answer = archive_write.post("/v1/archive", data={**texts, "document": (io.BytesIO(PDF), "a.pdf")}, headers=AUTH)

    assert answer.status_code == 202, (texts, answer.get_json())


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
