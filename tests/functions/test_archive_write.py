"""archive-write as its callers meet it: what it takes, what it refuses and how it says so."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import pytest

from shared.domain.keys import DocumentType, ObjectKey
from tests.functions.conftest import Site
from tests.functions.hosting import loaded
from tests.functions.sending import AUTH, fields, form, some_letter
from tests.stand_ins.papers import letter, locked_letter, owned_letter

if TYPE_CHECKING:
    from flask.testing import FlaskClient

PDF = letter("a letter of everybody")
OTHER = letter("another letter")

# what is wrong, the document, what is changed in its fields; then the status and the field that the answer names
REFUSED: dict[str, tuple[bytes, dict[str, str | None], int, str]] = {
    "not a PDF": (b"PK\x03\x04 a zip", {}, 400, "document"),
    "empty": (b"", {}, 400, "document"),
    "truncated": (PDF[: PDF.rindex(b"%%EOF")], {}, 400, "document"),
    "locked with a password": (locked_letter("a"), {}, 400, "document"),
    "encrypted for owners": (owned_letter("a"), {}, 400, "document"),
    "another SHA-256": (PDF, {"sha256": "0" * 64}, 422, "sha256"),
    "SHA-256 too short": (PDF, {"sha256": "abc"}, 422, "sha256"),
    "no SHA-256": (PDF, {"sha256": None}, 422, "sha256"),
    "unknown type": (PDF, {"documentType": "payslip"}, 422, "documentType"),
    "no type": (PDF, {"documentType": None}, 422, "documentType"),
    "bad organisation": (PDF, {"organizationId": "acme"}, 422, "organizationId"),
    "no organisation": (PDF, {"organizationId": None}, 422, "organizationId"),
    "bad document id": (PDF, {"bilkoDocumentId": "17"}, 422, "bilkoDocumentId"),
    "no name": (PDF, {"organizationName": None}, 422, "organizationName"),
    "blank name": (PDF, {"organizationName": "   "}, 422, "organizationName"),
    "name of 129": (PDF, {"organizationName": "x" * 129}, 422, "organizationName"),
    "number of 129": (PDF, {"invoiceNumber": "1" * 129}, 422, "invoiceNumber"),
    "contract of 129": (PDF, {"contractId": "1" * 129}, 422, "contractId"),
    "NUL": (PDF, {"organizationName": "Firma\x00AS"}, 422, "organizationName"),
    "line feed": (PDF, {"invoiceNumber": "1\n2"}, 422, "invoiceNumber"),
    "escape": (PDF, {"contractId": "\x1b[31m"}, 422, "contractId"),
    "line separator": (PDF, {"organizationName": "Firma\u2028AS"}, 422, "organizationName"),
    "unknown field": (PDF, {"colour": "blue"}, 422, "colour"),
    "a field by our inner name": (PDF, {"organization_name": "Firma AS"}, 422, "organization_name"),
    "unknown priority": (PDF, {"priority": "URGENT"}, 422, "priority"),
    "a switch that is none": (PDF, {"allowEncrypted": "perhaps"}, 422, "allowEncrypted"),
}


@pytest.mark.parametrize(("content", "changes", "status", "field"), REFUSED.values(), ids=REFUSED)
def test_bad_input_is_refused_by_the_name_of_its_field_and_nothing_is_queued(
    archive_write: FlaskClient, site: Site, content: bytes, changes: dict[str, str | None], status: int, field: str
) -> None:
    before = site.queued()

    answer = archive_write.post("/v1/archive", data=form(content, **changes), headers=AUTH)

    assert (answer.status_code, answer.get_json()["field"]) == (status, field)
    assert answer.get_json()["error"]
    assert site.queued() == before


@pytest.mark.parametrize("content", [locked_letter("let in"), owned_letter("let in")], ids=["locked", "owned"])
def test_an_encrypted_pdf_is_taken_if_its_sender_says_so(archive_write: FlaskClient, content: bytes) -> None:
    answer = archive_write.post("/v1/archive", data=form(content, allowEncrypted="true"), headers=AUTH)

    assert answer.status_code == 202


def test_a_document_is_taken_and_waits_in_the_queue(archive_write: FlaskClient, site: Site) -> None:
    given = fields(PDF, invoiceNumber="F-17", contractId="C-1")

    answer = archive_write.post("/v1/archive", data={**given, "document": (io.BytesIO(PDF), "a.pdf")}, headers=AUTH)

    body = answer.get_json()
    key = ObjectKey.from_job_id(body["jobId"])
    assert answer.status_code == 202
    assert (body["status"], body["sha256"], body["audit"]) == ("pending", given["sha256"], "recorded")
    assert key is not None
    assert site.queued(f"org/{given['organizationId']}/") == [key.sidecar, key.pdf]


def test_a_job_tells_where_its_documents_stand(archive_write: FlaskClient) -> None:
    given = form(PDF)
    job_id = archive_write.post("/v1/archive", data=given, headers=AUTH).get_json()["jobId"]

    answer = archive_write.get(f"/v1/archive/{job_id}", headers=AUTH)

    body = answer.get_json()
    assert answer.status_code == 200
    assert (body["jobId"], body["status"], body["queued"]) == (job_id, "pending", True)
    assert [each["bilkoDocumentId"] for each in body["documents"]] == [given["bilkoDocumentId"]]


def test_two_documents_of_the_same_bytes_are_one_job_with_two_documents(archive_write: FlaskClient) -> None:
    organization, ids = str(uuid4()), [str(uuid4()) for _ in range(2)]

    answers = [
        archive_write.post(
            "/v1/archive", data=form(PDF, organizationId=organization, bilkoDocumentId=each), headers=AUTH
        )
        for each in (*ids, ids[0])
    ]

    jobs = {answer.get_json()["jobId"] for answer in answers}
    assert [answer.status_code for answer in answers] == [202, 202, 202]
    assert len(jobs) == 1
    job = archive_write.get(f"/v1/archive/{jobs.pop()}", headers=AUTH).get_json()
    assert sorted(each["bilkoDocumentId"] for each in job["documents"]) == sorted(ids)


def test_an_urgent_document_leaves_a_mark_beside_the_queue(archive_write: FlaskClient, site: Site) -> None:
    given = form(PDF, priority="HIGH")

    archive_write.post("/v1/archive", data=given, headers=AUTH)

    assert site.queued(f"priority/org/{given['organizationId']}/") != []


@pytest.mark.parametrize(
    "job_id", ["nonsense", "b3JnLw", ObjectKey(UUID(int=7), DocumentType.INVOICE, "0" * 64).job_id]
)
def test_an_unknown_job_is_not_found(archive_write: FlaskClient, job_id: str) -> None:
    assert archive_write.get(f"/v1/archive/{job_id}", headers=AUTH).status_code == 404


@pytest.mark.parametrize("headers", [{}, {"X-Internal-Api-Key": "another-internal-key"}, {"Authorization": "Bearer x"}])
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/archive"), ("POST", "/v1/archive/uploads"), ("GET", "/v1/archive/x")]
)
def test_whoever_is_not_known_is_refused(
    archive_write: FlaskClient, site: Site, headers: dict[str, str], method: str, path: str
) -> None:
    before = site.queued()

    answer = archive_write.open(path, method=method, data=form(PDF), headers=headers)

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert site.queued() == before


def test_the_key_before_this_one_still_opens(site: Site) -> None:
    env = {
        **site.env,
        "INTERNAL_API_KEY": "the-next-internal-key",
        "INTERNAL_API_KEY_PREVIOUS": AUTH["X-Internal-Api-Key"],
    }

    with loaded("archive-write", env) as app:
        answers = [
            app.test_client().get("/v1/archive/x", headers={"X-Internal-Api-Key": key}).status_code
            for key in ("the-next-internal-key", AUTH["X-Internal-Api-Key"], "the-one-before-that")
        ]

    assert answers == [404, 404, 401]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/archive", "POST"),
        ("DELETE", "/v1/archive", "POST"),
        ("PUT", "/v1/archive/uploads", "POST"),
        ("POST", "/v1/archive/some-job", "GET, HEAD"),
        ("POST", "/healthz", "GET, HEAD"),
        ("PATCH", "/v1/keys", "GET, HEAD"),
    ],
)
def test_a_wrong_method_is_told_the_right_ones(
    archive_write: FlaskClient, method: str, path: str, allowed: str
) -> None:
    answer = archive_write.open(path, method=method, headers=AUTH)

    assert (answer.status_code, answer.headers.get("Allow")) == (405, allowed)


@pytest.mark.parametrize("path", ["/", "/v1", "/v2/archive", "/v1/archive/", "/v1/archive/x/y", "/V1/archive"])
def test_an_unknown_path_is_not_found(archive_write: FlaskClient, path: str) -> None:
    assert archive_write.get(path, headers=AUTH).status_code == 404


def test_a_body_that_says_it_is_too_large_is_refused_before_it_is_read(archive_write: FlaskClient, site: Site) -> None:
    before = site.queued()

    answer = archive_write.post(
        "/v1/archive",
        data=b"what would be a 400, if it were read",
        content_type="multipart/form-data; boundary=x",
        headers=AUTH,
        environ_overrides={"CONTENT_LENGTH": "33554433"},
    )

    assert (answer.status_code, answer.get_json()["code"]) == (413, "TOO_LARGE")
    assert site.queued() == before


def test_a_form_over_the_limit_is_too_large(site: Site) -> None:
    before = site.queued()

    with loaded("archive-write", {**site.env, "MAX_REQUEST_BYTES": "1000"}) as app:
        answer = app.test_client().post("/v1/archive", data=form(PDF), headers=AUTH)

    assert (answer.status_code, answer.get_json()["field"]) == (413, "body")
    assert site.queued() == before


@pytest.mark.parametrize("content_type", ["text/plain", "application/pdf", "application/x-www-form-urlencoded", ""])
def test_a_body_of_another_type_is_refused(archive_write: FlaskClient, content_type: str) -> None:
    answer = archive_write.post("/v1/archive", data=PDF, content_type=content_type, headers=AUTH)

    assert (answer.status_code, answer.get_json()["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("body", [b"", b"--x\r\n", b"--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x"])
def test_a_form_that_breaks_off_is_refused(archive_write: FlaskClient, body: bytes) -> None:
    answer = archive_write.post("/v1/archive", data=body, content_type="multipart/form-data; boundary=x", headers=AUTH)

    assert answer.status_code in (400, 422)
    assert answer.get_json()["field"] in ("body", "document")


def test_a_form_with_two_documents_or_another_file_is_refused(archive_write: FlaskClient) -> None:
    twice = {**fields(PDF), "document": [(io.BytesIO(PDF), "a.pdf"), (io.BytesIO(PDF), "b.pdf")]}
    other = {**form(PDF), "attachment": (io.BytesIO(PDF), "b.pdf")}

    answers = [archive_write.post("/v1/archive", data=data, headers=AUTH) for data in (twice, other)]

    assert [(answer.status_code, answer.get_json()["field"]) for answer in answers] == [
        (422, "document"),
        (422, "attachment"),
    ]


def test_one_idempotency_key_is_for_one_request(archive_write: FlaskClient) -> None:
    headers, first = {**AUTH, "Idempotency-Key": uuid4().hex}, fields(PDF)
    other = fields(OTHER, organizationId=first["organizationId"])

    answers = [
        archive_write.post("/v1/archive", data={**given, "document": (io.BytesIO(content), "a.pdf")}, headers=headers)
        for given, content in ((first, PDF), (first, PDF), (other, OTHER))
    ]

    assert [answer.status_code for answer in answers] == [202, 202, 409]
    assert answers[0].get_json() == answers[1].get_json()
    assert answers[2].get_json()["code"] == "CONFLICT"


@pytest.mark.parametrize("key", ["x" * 256, "two words", "Ærlig"])
def test_an_idempotency_key_that_is_none_is_refused(archive_write: FlaskClient, key: str) -> None:
    headers = {**AUTH, "Idempotency-Key": key.encode().decode("latin-1")}

    answer = archive_write.post("/v1/archive", data=form(PDF), headers=headers)

    assert (answer.status_code, answer.get_json()["field"]) == (400, "Idempotency-Key")


def test_what_was_erased_does_not_come_back(archive_write: FlaskClient, site: Site) -> None:
    given = form(PDF)
    site.s3.put_object(Bucket=site.queue, Key=f"control/erased/{given['organizationId']}", Body=b"")

    answer = archive_write.post("/v1/archive", data=given, headers=AUTH)

    assert (answer.status_code, answer.get_json()["code"]) == (410, "GONE")
    assert site.queued(f"org/{given['organizationId']}/") == []


def test_the_public_keys_and_the_contract_are_open_to_all(archive_write: FlaskClient, site: Site) -> None:
    keys, contract = archive_write.get("/v1/keys"), archive_write.get("/openapi.json")

    assert keys.get_json()["keys"] == site.public_keys
    assert contract.get_json()["openapi"].startswith("3.1")


def test_it_says_which_parts_it_reaches(archive_write: FlaskClient) -> None:
    answer = archive_write.get("/healthz")

    assert answer.get_json() == {"status": "ok", "parts": {"queue": "ok", "database": "ok"}}


def test_the_trace_of_a_request_goes_into_its_sidecar(archive_write: FlaskClient, site: Site) -> None:
    given = form(some_letter())
    headers = {**AUTH, "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}

    archive_write.post("/v1/archive", data=given, headers=headers)

    sidecar = site.queued(f"org/{given['organizationId']}/")[0]
    body = site.s3.get_object(Bucket=site.queue, Key=sidecar)["Body"].read()
    assert b'"traceId":"4bf92f3577b34da6a3ce929d0e0e4736"' in body
