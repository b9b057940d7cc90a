"""Large PDFs: an address to upload to, and what may become of the upload before it is taken in."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from tests.functions.conftest import Site
from tests.functions.hosting import loaded
from tests.functions.sending import AUTH, fields, some_letter
from tests.stand_ins.papers import locked_letter

if TYPE_CHECKING:
    from flask.testing import FlaskClient

SOMEBODY = "8ac3da34-9aa1-42e3-ba06-6f53fd821d7a"


def uploaded(client: FlaskClient, organization: str, content: bytes) -> str:
    """Ask for an address, and put the content there."""
    offer = client.post(
        "/v1/archive/uploads", json={"organizationId": organization, "size": len(content)}, headers=AUTH
    ).get_json()
    request = urllib.request.Request(offer["url"], data=content, headers=offer["headers"], method=offer["method"])
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 200
    upload_id: str = offer["uploadId"]
    return upload_id


def finished(content: bytes, upload_id: str, **changes: Any) -> dict[str, Any]:
    return {**fields(content), "uploadId": upload_id, **changes}


def test_an_upload_is_taken_in_and_cleared_away(archive_write: FlaskClient, site: Site) -> None:
    content, organization = some_letter(), str(uuid4())
    upload_id = uploaded(archive_write, organization, content)

    answer = archive_write.post(
        "/v1/archive", json=finished(content, upload_id, organizationId=organization), headers=AUTH
    )

    assert answer.status_code == 202
    assert len(site.queued(f"org/{organization}/")) == 2
    assert site.queued(f"uploads/{organization}/") == []


def test_an_upload_of_another_size_is_refused_by_the_store(archive_write: FlaskClient, site: Site) -> None:
    organization, content = str(uuid4()), some_letter()
    offer = archive_write.post(
        "/v1/archive/uploads", json={"organizationId": organization, "size": len(content) + 1}, headers=AUTH
    ).get_json()
    headers = {**offer["headers"], "Content-Length": str(len(content))}

    request = urllib.request.Request(offer["url"], data=content, headers=headers, method="PUT")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=30)
    refused.value.close()

    assert refused.value.code == 403
    assert site.queued(f"uploads/{organization}/") == []


BAD_UPLOADS: dict[str, tuple[bytes, dict[str, Any], int, str]] = {
    "not a PDF": (b"PK\x03\x04", {}, 400, "document"),
    "truncated": (some_letter()[:-8], {}, 400, "document"),
    "encrypted": (locked_letter("a"), {}, 400, "document"),
    "another SHA-256": (some_letter(), {"sha256": "0" * 64}, 422, "sha256"),
    "another upload": (some_letter(), {"uploadId": "0" * 32}, 400, "uploadId"),
    "a path for an id": (some_letter(), {"uploadId": "../../x"}, 422, "uploadId"),
    "unknown field": (some_letter(), {"colour": "blue"}, 422, "colour"),
    "unknown type": (some_letter(), {"documentType": "payslip"}, 422, "documentType"),
    "a number for a name": (some_letter(), {"organizationName": 17}, 422, "organizationName"),
    "NUL": (some_letter(), {"organizationName": "a\x00b"}, 422, "organizationName"),
}


@pytest.mark.parametrize(("content", "changes", "status", "field"), BAD_UPLOADS.values(), ids=BAD_UPLOADS)
def test_a_bad_upload_is_refused_by_the_name_of_its_field_and_nothing_is_queued(
    archive_write: FlaskClient, site: Site, content: bytes, changes: dict[str, Any], status: int, field: str
) -> None:
    organization = str(uuid4())
    upload_id = uploaded(archive_write, organization, content)
    body = finished(content, upload_id, **{"organizationId": organization, **changes})

    answer = archive_write.post("/v1/archive", json=body, headers=AUTH)

    assert (answer.status_code, answer.get_json()["field"]) == (status, field)
    assert site.queued(f"org/{organization}/") == []


def test_nobody_takes_in_another_organisations_upload(archive_write: FlaskClient, site: Site) -> None:
    content, mine, theirs = some_letter(), str(uuid4()), str(uuid4())
    upload_id = uploaded(archive_write, theirs, content)

    answer = archive_write.post("/v1/archive", json=finished(content, upload_id, organizationId=mine), headers=AUTH)

    assert (answer.status_code, answer.get_json()["field"]) == (400, "uploadId")
    assert site.queued(f"org/{mine}/") == []
    assert len(site.queued(f"uploads/{theirs}/")) == 1


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"size": 17}, 422, "organizationId"),
        ({"organizationId": "acme", "size": 17}, 422, "organizationId"),
        ({"organizationId": SOMEBODY, "size": 0}, 422, "size"),
        ({"organizationId": SOMEBODY, "size": "many"}, 422, "size"),
        ({"organizationId": SOMEBODY, "size": 17, "colour": "blue"}, 422, "colour"),
        ([], 422, "body"),
    ],
    ids=str,
)
def test_a_bad_question_for_an_address_names_its_field(
    archive_write: FlaskClient, body: Any, status: int, field: str
) -> None:
    answer = archive_write.post("/v1/archive/uploads", json=body, headers=AUTH)

    assert (answer.status_code, answer.get_json()["field"]) == (status, field)


def test_what_is_larger_than_we_take_gets_no_address(archive_write: FlaskClient) -> None:
    answer = archive_write.post(
        "/v1/archive/uploads", json={"organizationId": str(uuid4()), "size": 100_000_001}, headers=AUTH
    )

    assert (answer.status_code, answer.get_json()["code"]) == (413, "TOO_LARGE")


def test_an_upload_that_is_larger_than_we_take_is_not_taken_in(archive_write: FlaskClient, site: Site) -> None:
    content, organization = some_letter(), str(uuid4())
    upload_id = uploaded(archive_write, organization, content)

    with loaded("archive-write", {**site.env, "MAX_DOCUMENT_BYTES": "100"}) as app:
        answer = app.test_client().post(
            "/v1/archive", json=finished(content, upload_id, organizationId=organization), headers=AUTH
        )

    assert (answer.status_code, answer.get_json()["code"]) == (413, "TOO_LARGE")
    assert site.queued(f"org/{organization}/") == []


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"size": NaN}'])
def test_a_body_that_is_no_json_is_refused(archive_write: FlaskClient, body: bytes) -> None:
    answer = archive_write.post("/v1/archive/uploads", data=body, content_type="application/json", headers=AUTH)

    assert (answer.status_code, answer.get_json()["field"]) == (400, "body")
