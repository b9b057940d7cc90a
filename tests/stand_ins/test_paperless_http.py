"""The stand-in over a real port: many clients at once, and answers that break."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.stand_ins.bench import POST_DOCUMENT, USERS, headers
from tests.stand_ins.paperless.http_server import HttpServer
from tests.stand_ins.paperless.options import VERSIONS, Options, ServerVersion
from tests.stand_ins.papers import heavy_letter, letter

Start = Callable[[Options], HttpServer]


def connect(server: HttpServer, name: str = "alice", timeout: float = 30.0) -> httpx.Client:
    return httpx.Client(base_url=server.url, headers=headers(name), timeout=timeout)


def store(alice: httpx.Client, *texts: str) -> list[int]:
    tasks = [alice.post(POST_DOCUMENT, files={"document": ("a.pdf", letter(text))}).json() for text in texts]
    rows = [alice.get("/api/tasks/", params={"task_id": task}).json()[0] for task in tasks]
    return [int(row["related_document"]) for row in rows]


def at_once(work: Callable[[int], httpx.Response], items: list[int]) -> Iterator[httpx.Response]:
    with ThreadPoolExecutor(len(items)) as pool:
        yield from pool.map(work, items)


def test_one_connection_carries_many_requests(paperless: Start) -> None:
    server = paperless(Options(users=USERS))

    with socket.create_connection(server.address) as connection:
        head = "".join(f"{name}: {value}\r\n" for name, value in headers("alice").items())
        connection.sendall(f"GET /api/tags/ HTTP/1.1\r\nHost: x\r\n{head}\r\n".encode() * 3)
        received = b""
        while received.count(b"HTTP/1.1 200 OK") < 3:
            received += connection.recv(65_536)

    assert received.count(b'"results":[]') >= 2


def test_a_body_of_120_megabytes_is_taken(paperless: Start) -> None:
    server = paperless(Options(users=USERS))
    content = heavy_letter("large", 120_000_000)

    with connect(server) as alice:
        task = alice.post(POST_DOCUMENT, files={"document": ("large.pdf", content)}).json()
        row = alice.get("/api/tasks/", params={"task_id": task}).json()[0]

    assert row["status"] == "SUCCESS"


def test_a_body_in_chunks_is_put_together(paperless: Start) -> None:
    server = paperless(Options(users=USERS))

    with connect(server) as alice:
        chunks = iter([b'{"name":', b' "in pieces"}'])
        reply = alice.post("/api/tags/", content=chunks, headers={"Content-Type": "application/json"})

    assert reply.status_code == 201
    assert reply.json()["name"] == "in pieces"


def test_a_head_request_has_no_body(paperless: Start) -> None:
    server = paperless(Options(users=USERS))

    with connect(server) as alice:
        reply = alice.head("/api/tags/")
        following = alice.get("/api/tags/")

    assert (reply.status_code, reply.content) == (200, b"")
    assert following.json()["count"] == 0


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"kind": "refused"}, httpx.TransportError),
        ({"kind": "lost_answer"}, httpx.RemoteProtocolError),
        ({"kind": "hung"}, httpx.ReadTimeout),
    ],
)
def test_answers_break_as_they_do_on_a_network(paperless: Start, fault: dict[str, str], error: type[Exception]) -> None:
    server = paperless(Options(users=USERS))

    with connect(server, timeout=0.5) as alice:
        alice.post("/stand-in/faults", json=fault)
        with pytest.raises(error):
            alice.get("/api/tags/")
        alice.delete("/stand-in/faults")
        afterwards = alice.get("/api/tags/")

    assert afterwards.status_code == 200


def test_an_outage_that_ends_by_itself_closes_the_port(paperless: Start) -> None:
    server = paperless(Options(users=USERS))

    with connect(server) as alice:
        alice.post("/stand-in/faults", json={"kind": "refused", "lasts": 0.6})
        time.sleep(0.3)
        with pytest.raises(httpx.ConnectError):
            alice.get("/api/tags/")
        time.sleep(0.6)
        afterwards = alice.get("/api/tags/")

    assert afterwards.status_code == 200


def test_tasks_go_on_while_nobody_asks(paperless: Start, tmp_path: Path) -> None:
    server = paperless(Options(users=USERS, consume_seconds=0.1, data=tmp_path))

    with connect(server) as alice:
        alice.post(POST_DOCUMENT, files={"document": ("a.pdf", letter("alone"))})
        time.sleep(0.5)

    assert [path.name for path in (tmp_path / "originals").iterdir()] == ["0000001.pdf"]


@pytest.mark.parametrize("version", VERSIONS)
def test_erasures_that_overlap_leave_files_behind(version: ServerVersion, paperless: Start, tmp_path: Path) -> None:
    server = paperless(Options(version, USERS, data=tmp_path))
    with connect(server) as alice:
        numbers = store(alice, *map(str, range(32)))
        alice.post("/api/documents/bulk_edit/", json={"documents": numbers, "method": "delete"})

        def erase(first: int) -> httpx.Response:
            body = {"action": "empty", "documents": numbers[first : first + 4]}
            return alice.post("/api/trash/", json=body)

        replies = list(at_once(erase, list(range(0, 32, 4))))
        left = alice.get("/api/trash/").json()["count"]

    assert {reply.status_code for reply in replies} == {200}
    assert left == 0
    assert list((tmp_path / "originals").iterdir()) != []


def test_erasures_one_after_another_leave_nothing(paperless: Start, tmp_path: Path) -> None:
    server = paperless(Options(users=USERS, data=tmp_path))
    with connect(server) as alice:
        for number in store(alice, *map(str, range(8))):
            alice.delete(f"/api/documents/{number}/")
            alice.post("/api/trash/", json={"action": "empty", "documents": [number]})

    assert list((tmp_path / "originals").iterdir()) == []
    assert list((tmp_path / "thumbnails").iterdir()) == []


@pytest.mark.parametrize(("version", "statuses"), [("3.0.5", {204}), ("2.20.15", {204, 400})])
def test_deletions_at_once_fail_in_version_2_only(version: ServerVersion, statuses: set[int], paperless: Start) -> None:
    server = paperless(Options(version, USERS))
    with connect(server) as alice:
        numbers = store(alice, *map(str, range(8)))

        replies = list(at_once(lambda number: alice.delete(f"/api/documents/{number}/"), numbers))
        failed = [number for number, reply in zip(numbers, replies, strict=True) if reply.status_code == 400]
        again = [alice.delete(f"/api/documents/{number}/").status_code for number in failed]

    assert {reply.status_code for reply in replies} == statuses
    assert set(again) <= {204}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_race_for_a_name_has_one_winner(version: ServerVersion, paperless: Start) -> None:
    server = paperless(Options(version, USERS))
    losers: list[int] = []
    with connect(server) as alice:

        def create(number: int) -> httpx.Response:
            return alice.post("/api/tags/", json={"name": f"round {number}"})

        for number in range(12):
            replies = list(at_once(create, [number] * 8))
            losers += [reply.status_code for reply in replies if reply.status_code != 201]
        count = alice.get("/api/tags/").json()["count"]

    assert count == 12
    assert len(losers) == 12 * 7
    assert set(losers) <= {400, 500}
