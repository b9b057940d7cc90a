"""Every fault that can be ordered, seen from a client built on httpx."""

from __future__ import annotations

import httpx
import pytest

from tests.stand_ins.bench import Bench
from tests.stand_ins.paperless.faults import UnknownFault, read_fault
from tests.stand_ins.paperless.options import VERSIONS, ServerVersion
from tests.stand_ins.papers import letter

TAGS = "/api/tags/?page_size=1"


@pytest.fixture(params=VERSIONS)
def bench(request: pytest.FixtureRequest) -> Bench:
    return Bench(request.param)


def documents(bench: Bench) -> int:
    return int(bench.admin.get("/api/documents/").json()["count"])


def test_a_refused_connection_is_a_connect_error(bench: Bench) -> None:
    bench.fault("refused", times=1)

    with pytest.raises(httpx.ConnectError):
        bench.alice.get(TAGS)

    assert bench.alice.get(TAGS).status_code == 200


def test_a_hung_server_costs_the_client_its_whole_patience(bench: Bench) -> None:
    before = bench.clock.now()
    bench.fault("hung", times=1)

    with pytest.raises(httpx.ReadTimeout):
        bench.alice.get(TAGS)

    assert (bench.clock.now() - before).total_seconds() == 30


@pytest.mark.parametrize("status", [500, 502, 503, 504, 520])
def test_a_server_error_is_a_page_of_html(bench: Bench, status: int) -> None:
    bench.fault("error", status=status)

    reply = bench.alice.get(TAGS)

    assert reply.status_code == status
    assert reply.headers["content-type"].startswith("text/html")
    assert "X-Version" not in reply.headers


def test_an_error_may_come_after_the_effect(bench: Bench) -> None:
    bench.fault("error", status=504, after_effect=True, times=1)

    reply = bench.post(letter("accepted behind a gateway"))

    assert reply.status_code == 504
    assert documents(bench) == 1


def test_an_error_without_the_effect_leaves_nothing(bench: Bench) -> None:
    bench.fault("error", status=502, times=1)

    bench.post(letter("never seen"))

    assert documents(bench) == 0


def test_a_rejected_token_is_401(bench: Bench) -> None:
    bench.fault("unauthorized", times=1)

    reply = bench.alice.get(TAGS)

    assert reply.status_code == 401
    assert reply.json() == {"detail": "Invalid token."}
    assert reply.headers["www-authenticate"] == "Token"


@pytest.mark.parametrize(("html", "opening"), [(False, "Insufficient permissions"), (True, "<!doctype html>")])
def test_a_403_is_not_json(bench: Bench, *, html: bool, opening: str) -> None:
    bench.fault("forbidden", html=html)

    reply = bench.alice.get(TAGS)

    assert reply.status_code == 403
    assert reply.text.startswith(opening)


def test_a_login_page_is_where_the_redirect_leads(bench: Bench) -> None:
    bench.fault("login_redirect")

    reply = bench.alice.get(TAGS)

    assert reply.status_code == 302
    assert reply.headers["location"] == "/accounts/login/?next=/api/tags/"
    assert reply.headers["content-type"].startswith("text/html")


def test_throttling_says_when_to_come_back(bench: Bench) -> None:
    bench.fault("throttled", retry_after=7)

    reply = bench.alice.get(TAGS)

    assert reply.status_code == 429
    assert reply.headers["retry-after"] == "7"


@pytest.mark.parametrize(("kind", "status"), [("error", 520), ("forbidden", 403)])
def test_one_file_name_can_be_refused_for_ever(bench: Bench, kind: str, status: int) -> None:
    bench.fault(kind, file_name="poison.pdf", status=status, html=True)

    refused = [bench.post(letter("one"), "poison.pdf").status_code for _ in range(3)]
    accepted = bench.post(letter("two"), "fine.pdf").status_code

    assert (refused, accepted) == ([status] * 3, 200)
    assert bench.alice.get(TAGS).status_code == 200


def test_a_lost_answer_leaves_the_document(bench: Bench) -> None:
    bench.fault("lost_answer", method="POST")

    with pytest.raises(httpx.RemoteProtocolError):
        bench.post(letter("taken all the same"))

    assert documents(bench) == 1


def test_an_answer_lost_before_the_effect_leaves_nothing(bench: Bench) -> None:
    bench.fault("lost_answer", method="POST", after_effect=False)

    with pytest.raises(httpx.RemoteProtocolError):
        bench.post(letter("not taken"))

    assert documents(bench) == 0


def test_a_slow_answer_takes_its_time_and_is_right(bench: Bench) -> None:
    before = bench.clock.now()
    bench.fault("slow", seconds=12, times=1)

    reply = bench.alice.get(TAGS)

    assert reply.status_code == 200
    assert (bench.clock.now() - before).total_seconds() == 12


def test_a_stuck_task_stays_started_and_the_next_goes_on(bench: Bench) -> None:
    bench.fault("stuck")
    stuck, fine = bench.upload(letter("stuck")), bench.upload(letter("fine"))

    bench.clock.sleep(86_400)

    assert bench.task(stuck)["status"] == "STARTED"
    assert bench.task(fine)["status"] == "SUCCESS"


def test_a_killed_worker_forgets_what_it_was_doing() -> None:
    bench = Bench(consume_seconds=10)
    current, waiting = bench.upload(letter("current")), bench.upload(letter("waiting"))
    bench.clock.sleep(5)
    bench.fault("worker_killed")

    bench.clock.sleep(60)

    assert bench.task(current)["status"] == "STARTED"
    assert bench.task(waiting)["status"] == "SUCCESS"


def test_without_a_worker_tasks_wait_until_it_returns(bench: Bench) -> None:
    bench.fault("worker_down", lasts=100)
    task = bench.upload(letter("patient"))
    bench.clock.sleep(50)

    before = bench.task(task)["status"]
    bench.clock.sleep(51)

    assert before == "PENDING"
    assert bench.task(task)["status"] == "SUCCESS"


def test_a_worker_that_returns_does_not_work_in_the_past() -> None:
    bench = Bench(consume_seconds=10)
    bench.fault("worker_down")
    task = bench.upload(letter("patient"))
    bench.clock.sleep(100)
    bench.paperless.clear_faults()

    bench.clock.sleep(9)
    early = bench.task(task)["status"]
    bench.clock.sleep(1)

    assert early == "STARTED"
    assert bench.task(task)["status"] == "SUCCESS"


@pytest.mark.parametrize(("version", "seconds", "rows"), [("3.0.5", 19, 0), ("2.20.15", 0.6, 1)])
def test_without_redis_uploads_crash_and_everything_else_works(
    version: ServerVersion, seconds: float, rows: int
) -> None:
    bench = Bench(version)
    before = bench.clock.now()
    bench.fault("redis_down", times=1)

    reply = bench.post(letter("not queued"))
    tasks = bench.alice.get("/api/tasks/").json()

    assert reply.status_code == 500
    assert "<html" in reply.text
    assert (bench.clock.now() - before).total_seconds() == seconds
    assert [row["status"] for row in tasks] == ["PENDING"] * rows


def test_a_row_left_without_redis_is_pending_for_ever() -> None:
    bench = Bench("2.20.15")
    bench.fault("redis_down", times=1, seconds=0)
    bench.post(letter("not queued"))

    bench.clock.sleep(86_400)

    assert [row["status"] for row in bench.alice.get("/api/tasks/").json()] == ["PENDING"]


def test_the_status_page_shows_what_is_down(bench: Bench) -> None:
    bench.fault("redis_down")

    tasks = bench.admin.get("/api/status/").json()["tasks"]

    assert tasks["redis_status"] == "ERROR"
    assert tasks["celery_status"] == ("WARNING" if bench.paperless.world.is_v3 else "ERROR")


@pytest.mark.parametrize(
    ("kind", "text"),
    [("database_locked", "database is locked"), ("worker_exited", "Worker exited prematurely: signal 9 (SIGKILL)")],
)
def test_a_task_can_fail_for_reasons_that_pass(bench: Bench, kind: str, text: str) -> None:
    bench.fault(kind)
    failed, fine = bench.upload(letter("unlucky")), bench.upload(letter("lucky"))

    row = bench.task(failed)

    assert row["status"] == "FAILURE"
    assert text in row["result"]
    assert row["related_document"] is None
    assert bench.task(fine)["status"] == "SUCCESS"


def test_version_2_tells_the_reason_of_a_failure_only_when_asked_again() -> None:
    bench = Bench("2.20.15")
    bench.fault("database_locked")
    query = {"task_id": bench.upload(letter("unlucky"))}

    first, second = (bench.alice.get("/api/tasks/", params=query).json()[0] for _ in range(2))

    assert first["status"] == second["status"] == "FAILURE"
    assert first["result"].startswith("<traceback object at 0x")
    assert second["result"].endswith("database is locked")


def test_an_upgrade_drops_the_task_rows(bench: Bench) -> None:
    task = bench.upload(letter("before the upgrade"))
    bench.fault("tasks_lost")

    assert bench.alice.get("/api/tasks/", params={"task_id": task}).json() == []


def test_a_lost_queue_leaves_its_tasks_pending(bench: Bench) -> None:
    bench.fault("worker_down", lasts=10)
    task = bench.upload(letter("in the queue"))
    bench.fault("queue_lost")

    bench.clock.sleep(3600)

    assert bench.task(task)["status"] == "PENDING"


def test_documents_can_lose_their_tags(bench: Bench) -> None:
    tag = bench.tag("Org")
    document = bench.store("tagged", tags=[str(tag)])
    bench.fault("tags_lost")

    assert bench.alice.get(f"/api/documents/{document}/").json()["tags"] == []
    assert bench.found(tags__id__all=tag) == []


def test_faults_can_be_listed_and_cleared(bench: Bench) -> None:
    bench.alice.post("/stand-in/faults", json={"kind": "error", "status": 503, "times": 2})

    listed = bench.alice.get("/stand-in/faults").json()["faults"]
    cleared = bench.alice.request("DELETE", "/stand-in/faults").json()

    assert listed == [{"kind": "error", "status": 503, "times": 2, "number": 1}]
    assert cleared == {"cleared": 1}
    assert bench.alice.get(TAGS).status_code == 200


@pytest.mark.parametrize(
    "body", [{"kind": "earthquake"}, {"kind": "slow", "second": 3}, {"kind": "slow", "seconds": "3"}, [], {}]
)
def test_an_unknown_fault_is_refused_with_what_is_known(bench: Bench, body: object) -> None:
    with pytest.raises(UnknownFault, match=r"kind|has no second|cannot be"):
        read_fault(body)

    assert bench.alice.post("/stand-in/faults", json=body).status_code == 400


def test_the_state_counts_what_was_asked_and_done() -> None:
    bench = Bench(consume_seconds=10)
    bench.upload(letter("first"))
    bench.upload(letter("second"))
    bench.clock.sleep(15)

    state = bench.alice.get("/stand-in/state").json()

    assert state["documents"] == 1
    assert state["tasks"] == {"STARTED": 1, "SUCCESS": 1}
    assert state["requests"] == {"POST /api/documents/post_document/": 2}
    assert (state["busy_seconds"], state["wall_seconds"], state["workers"]) == (15, 15, 1)


def test_reset_counters_start_again_from_now() -> None:
    bench = Bench(consume_seconds=10)
    bench.upload(letter("first"))
    bench.clock.sleep(5)
    bench.alice.post("/stand-in/reset-counters")
    bench.clock.sleep(20)

    state = bench.paperless.state()

    assert (state["busy_seconds"], state["wall_seconds"], state["requests"]) == (5, 20, {})
