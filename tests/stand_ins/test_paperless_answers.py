"""Answers the recordings do not show: filters, rights, sharing, bulk edits, tokens, languages."""

from __future__ import annotations

import base64
import json

import httpx
import pytest

from tests.stand_ins.bench import Bench, headers
from tests.stand_ins.paperless.options import VERSIONS, ServerVersion
from tests.stand_ins.papers import letter


@pytest.fixture(params=VERSIONS)
def bench(request: pytest.FixtureRequest) -> Bench:
    return Bench(request.param)


def field(bench: Bench, name: str, data_type: str = "string", **extra: object) -> int:
    reply = bench.alice.post("/api/custom_fields/", json={"name": name, "data_type": data_type, **extra})
    assert reply.status_code == 201, reply.text
    return int(reply.json()["id"])


def refusal(reply: httpx.Response) -> object:
    assert reply.status_code == 400, reply.text
    return reply.json()


@pytest.mark.parametrize(
    ("parameters", "found"),
    [
        ({"archive_serial_number": 7}, {"old"}),
        ({"archive_serial_number__gt": 6}, {"old"}),
        ({"archive_serial_number__isnull": "true"}, {"new"}),
        ({"created__year": 2020}, {"old"}),
        ({"created__gt": "2021-01-01"}, {"new"}),
        ({"created__date__lte": "2021-01-01"}, {"old"}),
        ({"added__gt": "2030-01-01T00:00:00Z"}, set()),
        ({"added__date__gte": "2026-01-05"}, {"old", "new"}),
        ({"is_tagged": "true"}, {"old"}),
        ({"is_tagged": "perhaps"}, {"old", "new"}),
        ({"tags__id__none": 1}, {"new"}),
        ({"title__istartswith": "OL"}, {"old"}),
        ({"content__icontains": "very LONG ago"}, {"old"}),
        ({"title_content": "recently"}, {"new"}),
        ({"search": "recently"}, {"new"}),
        ({"query": "long ago"}, {"old"}),
        ({"has_custom_fields": "true"}, set()),
        ({"mime_type": "pdf"}, {"old", "new"}),
        ({"owner__id": 2, "correspondent__isnull": "true"}, {"old", "new"}),
        ({"owner__isnull": "true"}, set()),
    ],
)
def test_lists_narrow_by_what_the_server_knows(bench: Bench, parameters: dict[str, object], found: set[str]) -> None:
    tag = bench.tag("Org")
    numbers = {
        "old": bench.store(
            "very long ago", title="old", created="2020-02-02", archive_serial_number="7", tags=[str(tag)]
        ),
        "new": bench.store("recently", title="new", created="2025-05-05"),
    }

    assert bench.found(**parameters) == sorted(numbers[name] for name in found)


@pytest.mark.parametrize(
    ("parameters", "errors"),
    [
        ({"created__gt": "soon"}, {"created__gt": ["Enter a valid date."]}),
        ({"added__lt": "soon"}, {"added__lt": ["Enter a valid date/time."]}),
        ({"archive_serial_number": "x"}, {"archive_serial_number": ["Enter a number."]}),
        ({"id": "x", "tags__id": "y"}, {"id": ["Enter a number."], "tags__id": ["Enter a number."]}),
    ],
)
def test_malformed_values_of_known_parameters_are_refused(
    bench: Bench, parameters: dict[str, str], errors: dict[str, object]
) -> None:
    assert refusal(bench.alice.get("/api/documents/", params=parameters)) == errors


@pytest.mark.parametrize(
    ("query", "errors"),
    [
        ("[1]", ["Invalid custom field query expression"]),
        ('["XOR",[]]', {"0": ["Invalid logical operator 'XOR'"]}),
        ('["AND",[]]', {"1": ["Invalid expression list. Must be nonempty."]}),
        (
            '["OR",[["sha","exact","x"],["sha","gt","x"]]]',
            {"1": {"1": {"1": ["string does not support query expr 'gt'."]}}},
        ),
        ('["sha","in",[]]', {"2": ["This list may not be empty."]}),
        ('["NOT",["none","exact","x"]]', {"1": {"0": ["'none' is not a valid custom field."]}}),
    ],
)
def test_mistakes_in_a_custom_field_query_are_told_where_they_are(bench: Bench, query: str, errors: object) -> None:
    field(bench, "sha")

    reply = bench.alice.get("/api/documents/", params={"custom_field_query": query})

    assert refusal(reply) == {"custom_field_query": errors}


def test_a_query_of_field_and_value_crashes_the_server(bench: Bench) -> None:
    field(bench, "sha")

    reply = bench.alice.get("/api/documents/", params={"custom_field_query": '[1,"x"]'})

    assert reply.status_code == 500
    assert "<html" in reply.text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (["number", "gt", 1], [2]),
        (["number", "range", [1, 2]], [1, 2]),
        (["day", "year__exact", 2024], [1]),
        (["day", "isnull", True], [2]),
        (["NOT", ["number", "exact", 1]], [2, 3]),
        (["number", "exists", False], [3]),
        (["sha", "icontains", "BB"], [2]),
    ],
)
def test_custom_fields_are_compared_by_their_type(bench: Bench, query: object, found: list[int]) -> None:
    sha, number, day = field(bench, "sha"), field(bench, "number", "integer"), field(bench, "day", "date")
    bench.store("first", custom_fields={str(sha): "aaa", str(number): 1, str(day): "2024-02-03"})
    bench.store("second", custom_fields={str(sha): "bbb", str(number): 2, str(day): None})
    bench.store("third")

    assert bench.found(custom_field_query=json.dumps(query)) == found


@pytest.mark.parametrize(("version", "found"), [("3.0.5", [1]), ("2.20.15", [])])
def test_version_3_compares_amounts_and_version_2_their_text(version: ServerVersion, found: list[int]) -> None:
    bench = Bench(version)
    amount = field(bench, "amount", "monetary")
    bench.store("bill", custom_fields={str(amount): "EUR12.50"})

    assert bench.found(custom_field_query='["amount","exact","USD12.50"]') == found
    assert bench.found(custom_field_query='["amount","gt","12"]') == [1]


@pytest.mark.parametrize(
    ("data_type", "value", "error"),
    [
        ("url", "nowhere", "Unable to parse URI nowhere, missing scheme"),
        ("integer", 2**31, "Ensure this value is less than or equal to 2147483647."),
        ("monetary", "12.555", "Must be a two-decimal number with optional currency code e.g. GBP123.45"),
        ("documentlink", [99], "Some documents in value don't exist or were specified twice."),
        ("documentlink", 99, "Value must be a list"),
    ],
)
def test_values_are_checked_by_the_type_of_their_field(bench: Bench, data_type: str, value: object, error: str) -> None:
    number = field(bench, "checked", data_type)

    assert refusal(bench.post(letter("x"), custom_fields={str(number): value})) == {"custom_fields": [error]}


def test_what_the_database_refuses_fails_as_a_task(bench: Bench) -> None:
    number = field(bench, "weight", "float")

    row = bench.task(bench.upload(letter("x"), custom_fields={str(number): "heavy"}))

    assert row["status"] == "FAILURE"
    assert "expected a number but got 'heavy'" in row["result"]


def test_a_deleted_custom_field_is_just_left_out(bench: Bench) -> None:
    bench.fault("worker_down", lasts=10)
    number = field(bench, "short-lived")
    task = bench.upload(letter("x"), custom_fields={str(number): "gone"})
    bench.alice.delete(f"/api/custom_fields/{number}/")
    bench.clock.sleep(11)

    stored = bench.stored(task)

    assert bench.alice.get(f"/api/documents/{stored}/").json()["custom_fields"] == []


def test_a_serial_number_is_given_once(bench: Bench) -> None:
    bench.store("first", archive_serial_number="5")

    row = bench.task(bench.upload(letter("second"), archive_serial_number="5"))

    assert row["result"] == "letter.pdf: Not consuming letter.pdf: Given ASN 5 already exists!"


def test_a_document_can_be_shared_with_another_user(bench: Bench) -> None:
    path = f"/api/documents/{bench.store('shared')}/"
    bob = bench.paperless.world.users[2].id

    def shared(permission: str) -> dict[str, object]:
        users = {"users": [bob], "groups": []}
        return {"set_permissions": {permission: users}}

    bench.alice.patch(path, json=shared("view"))
    seen, changed = bench.bob.get(path), bench.bob.patch(path, json={"title": "mine"})
    bench.alice.patch(path, json=shared("change"))

    assert (seen.status_code, seen.json()["user_can_change"]) == (200, False)
    assert changed.status_code == 403
    assert bench.bob.patch(path, json={"title": "mine"}).status_code == 200
    assert bench.bob.patch(path, json={"owner": None}).json() == {"detail": "Insufficient permissions."}
    assert bench.bob.delete(path).status_code == 403


def test_anybody_may_erase_what_belongs_to_nobody(bench: Bench) -> None:
    number = bench.store("orphan")
    bench.alice.patch(f"/api/documents/{number}/", json={"owner": None})
    bench.alice.delete(f"/api/documents/{number}/")

    reply = bench.nobody.post("/api/trash/", json={"action": "empty", "documents": [number]})

    assert reply.json() == {"result": "OK", "doc_ids": [number]}
    assert bench.admin.get(f"/api/documents/{number}/download/").status_code == 404


def test_nobody_may_erase_what_belongs_to_another(bench: Bench) -> None:
    number = bench.store("alice's")
    bench.alice.delete(f"/api/documents/{number}/")

    reply = bench.bob.post("/api/trash/", json={"action": "empty", "documents": [number]})

    assert (reply.status_code, reply.text) == (403, "Insufficient permissions")
    assert bench.files() != []


def test_a_number_twice_is_one_too_many(bench: Bench) -> None:
    number = bench.store("once")
    bench.alice.delete(f"/api/documents/{number}/")

    reply = bench.alice.post("/api/trash/", json={"action": "empty", "documents": [number, number]})

    assert refusal(reply) == {"documents": ["Some documents in the list have not yet been deleted."]}


def test_tags_can_be_edited_in_bulk(bench: Bench) -> None:
    first, second = bench.tag("first"), bench.tag("second")
    numbers = [bench.store(text, tags=[str(first)]) for text in ("one", "two")]
    parameters = {"add_tags": [second], "remove_tags": [first]}

    reply = bench.alice.post(
        "/api/documents/bulk_edit/", json={"documents": numbers, "method": "modify_tags", "parameters": parameters}
    )

    assert reply.json() == {"result": "OK"}
    assert bench.found(tags__id__all=second) == numbers
    assert bench.found(tags__id__all=first) == []


@pytest.mark.parametrize(("version", "status"), [("3.0.5", 200), ("2.20.15", 405)])
def test_only_version_3_has_a_path_for_deleting_many(version: ServerVersion, status: int) -> None:
    bench = Bench(version)
    number = bench.store("gone")

    assert bench.alice.post("/api/documents/delete/", json={"documents": [number]}).status_code == status


def test_a_method_that_is_not_offered_is_405(bench: Bench) -> None:
    reply = bench.alice.put("/api/documents/", json={})

    assert reply.status_code == 405
    assert reply.json() == {"detail": 'Method "PUT" not allowed.'}
    assert "GET" in reply.headers["allow"]


def test_a_browser_gets_a_page(bench: Bench) -> None:
    reply = bench.alice.get("/api/tags/", headers={"Accept": "text/html"})

    assert reply.status_code == 200
    assert reply.headers["content-type"].startswith("text/html")


def test_what_no_renderer_offers_is_406(bench: Bench) -> None:
    reply = bench.alice.get("/api/tags/", headers={"Accept": "application/xml"})

    assert reply.status_code == 406


def test_errors_come_in_the_language_asked_for(bench: Bench) -> None:
    reply = bench.alice.patch(
        f"/api/documents/{bench.store('x')}/", json={"tags": [99999]}, headers={"Accept-Language": "de"}
    )

    assert reply.json() == {"tags": ['Ungültiger pk "99999" - Object existiert nicht.']}


def test_name_and_password_open_the_door_too(bench: Bench) -> None:
    secret = base64.b64encode(b"alice:alice-token").decode()

    reply = bench.alice.get("/api/tags/", headers={"Authorization": f"Basic {secret}"})

    assert reply.status_code == 200


@pytest.mark.parametrize(("version", "statuses"), [("3.0.5", [200] * 5 + [429]), ("2.20.15", [200] * 6)])
def test_version_3_gives_out_five_tokens_a_minute(version: ServerVersion, statuses: list[int]) -> None:
    bench = Bench(version)
    login = {"username": "alice", "password": "alice-token"}

    replies = [bench.alice.post("/api/token/", json=login) for _ in range(6)]

    assert [reply.status_code for reply in replies] == statuses
    assert replies[0].json() == {"token": "alice-token"}
    if version == "3.0.5":
        assert replies[-1].headers["retry-after"] == "60"
        bench.clock.sleep(60)
        assert bench.alice.post("/api/token/", json=login).status_code == 200


def test_only_whoever_may_change_tasks_acknowledges_them(bench: Bench) -> None:
    task = bench.task(bench.upload(letter("x")))["id"]

    refused = bench.alice.post("/api/tasks/acknowledge/", json={"tasks": [task]})
    done = bench.admin.post("/api/tasks/acknowledge/", json={"tasks": [task]})

    assert refused.status_code == 403
    assert done.json() == {"result": 1}
    assert bench.alice.get("/api/tasks/", params={"acknowledged": "false"}).json() == []


def test_long_lists_of_tasks_have_no_pages_in_version_9(bench: Bench) -> None:
    for number in range(30):
        bench.upload(letter(str(number)))

    rows = bench.alice.get("/api/tasks/", params={"page_size": 5, "task_file_name": "other.pdf"}).json()

    assert len(rows) == 30


def test_the_last_page_has_a_name(bench: Bench) -> None:
    for number in range(5):
        bench.tag(str(number))

    body = bench.alice.get("/api/tags/", params={"page": "last", "page_size": 2}).json()

    assert [row["name"] for row in body["results"]] == ["4"]
    assert body["previous"] == "http://paperless/api/tags/?page=2&page_size=2"


def test_a_disabled_user_is_told_so() -> None:
    bench = Bench()
    world = bench.paperless.world
    account = world.users[1].account
    disabled = type(account)(account.name, account.token, account.role, active=False)
    world.users = (type(world.users[1])(world.users[1].id, disabled),)

    reply = bench.alice.get("/api/tags/")

    assert (reply.status_code, reply.json()) == (401, {"detail": "User inactive or deleted."})


def test_curl_s_way_of_writing_a_form_is_understood(bench: Bench) -> None:
    body = (
        b'--x\r\nContent-Disposition: form-data; name="title"\r\n\r\nCurl sample\r\n'
        b'--x\r\nContent-Disposition: form-data; name="document"; filename="C:\\\\scans\\\\c.pdf"\r\n'
        b"Content-Type: application/pdf\r\n\r\n" + letter("curl") + b"\r\n--x--\r\n"
    )

    reply = bench.alice.post(
        "/api/documents/post_document/",
        content=body,
        headers={**headers("alice"), "Content-Type": "multipart/form-data; boundary=x"},
    )
    number = bench.stored(reply.json())

    row = bench.alice.get(f"/api/documents/{number}/").json()
    assert (row["title"], row["original_file_name"]) == ("Curl sample", "c.pdf")


@pytest.mark.parametrize(
    ("version", "parameters", "count"),
    [
        ("3.0.5", {"type": "manual_task"}, 1),
        ("3.0.5", {"type": "auto_task"}, 0),
        ("3.0.5", {"type": "garbage"}, 1),
        ("3.0.5", {"task_name": "garbage"}, 0),
        ("3.0.5", {"is_complete": "false"}, 0),
        ("2.20.15", {"type": "auto_task"}, 1),
        ("2.20.15", {"task_name": "check_sanity"}, 0),
        ("2.20.15", {"is_complete": "false"}, 1),
    ],
)
def test_tasks_narrow_as_their_server_knows_how(version: ServerVersion, parameters: dict[str, str], count: int) -> None:
    bench = Bench(version)
    bench.upload(letter("x"))

    assert len(bench.alice.get("/api/tasks/", params=parameters).json()) == count
