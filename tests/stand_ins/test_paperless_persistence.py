"""A stand-in with a data folder goes on where it was stopped, however it was stopped."""

from __future__ import annotations

import hashlib
import signal
from pathlib import Path

import httpx
import pytest

from tests.stand_ins.bench import POST_DOCUMENT, Bench
from tests.stand_ins.paperless.options import VERSIONS, BadOption, ServerVersion
from tests.stand_ins.papers import letter
from tests.stand_ins.programs import running


def restarted(bench: Bench, data: Path, **options: float) -> Bench:
    """The same folder, later."""
    bench.paperless.close()
    again = Bench(
        bench.paperless.options.server_version, data=data, consume_seconds=options.get("consume_seconds", 0.0)
    )
    again.clock.sleep((bench.clock.now() - again.clock.now()).total_seconds())
    return again


@pytest.mark.parametrize("version", VERSIONS)
def test_everything_is_there_after_a_restart(version: ServerVersion, tmp_path: Path) -> None:
    bench = Bench(version, data=tmp_path)
    tag = bench.tag("Org")
    field = bench.alice.post("/api/custom_fields/", json={"name": "sha", "data_type": "string"}).json()["id"]
    kept = bench.store("kept", tags=[str(tag)], custom_fields={str(field): "abc"})
    trashed = bench.store("trashed")
    bench.alice.delete(f"/api/documents/{trashed}/")
    paths = ("/api/tags/", "/api/custom_fields/", "/api/documents/", "/api/trash/", "/api/tasks/")
    before = [bench.alice.get(path).json() for path in paths]

    bench = restarted(bench, tmp_path)

    assert [bench.alice.get(path).json() for path in paths] == before
    assert bench.found(tags__id__all=tag, custom_field_query='["sha","exact","abc"]') == [kept]
    assert bench.alice.get(f"/api/documents/{kept}/download/", params={"original": "true"}).content == letter("kept")


def test_numbers_are_not_given_again_after_a_restart(tmp_path: Path) -> None:
    bench = Bench(data=tmp_path)
    tag = bench.tag("short-lived")
    bench.alice.delete(f"/api/tags/{tag}/")

    bench = restarted(bench, tmp_path)

    assert bench.tag("next") == tag + 1


def test_tasks_go_on_after_a_restart(tmp_path: Path) -> None:
    bench = Bench(data=tmp_path, consume_seconds=10)
    started, pending = bench.upload(letter("started")), bench.upload(letter("pending"))
    bench.clock.sleep(5)
    bench.paperless.advance()

    bench = restarted(bench, tmp_path, consume_seconds=10)
    bench.clock.sleep(16)

    assert bench.task(started)["status"] == "SUCCESS"
    assert bench.task(pending)["status"] == "SUCCESS"


def test_a_stuck_task_stays_stuck_after_a_restart(tmp_path: Path) -> None:
    bench = Bench(data=tmp_path)
    bench.fault("stuck")
    task = bench.upload(letter("stuck"))
    bench.paperless.advance()

    bench = restarted(bench, tmp_path)
    bench.clock.sleep(3600)

    assert bench.task(task)["status"] == "STARTED"


def test_users_keep_their_numbers_when_others_join(tmp_path: Path) -> None:
    bench = Bench(data=tmp_path)
    owner = bench.alice.post("/api/tags/", json={"name": "mine"}).json()["owner"]

    bench = restarted(bench, tmp_path)

    assert bench.alice.post("/api/tags/", json={"name": "mine too"}).json()["owner"] == owner


@pytest.mark.parametrize("moment", range(6))
def test_what_was_accepted_outlives_a_kill_at_any_moment(moment: int, tmp_path: Path) -> None:
    options = ("--data", str(tmp_path), "--consume-seconds", "0.02")
    contents = [letter(f"number {number}") for number in range(12)]
    with running(*options) as program, program.client("alice") as alice:
        uploads = ({"document": ("a.pdf", content)} for content in contents[: 2 * moment + 1])
        accepted = [alice.post(POST_DOCUMENT, files=files).json() for files in uploads]
        program.process.send_signal(signal.SIGKILL)
        program.process.wait(timeout=10)

    with running(*options) as program, program.client("alice") as alice:
        rows = [wait_for(alice, task) for task in accepted]
        stored = [alice.get(f"/api/documents/{row['related_document']}/download/").content for row in rows]
        count = alice.get("/api/documents/").json()["count"]

    assert {row["status"] for row in rows} == {"SUCCESS"}
    assert stored == contents[: len(accepted)]
    assert count == len(accepted)
    assert len(list((tmp_path / "originals").iterdir())) == count
    assert list((tmp_path / "scratch").iterdir()) == []


def wait_for(alice: httpx.Client, task: str) -> dict[str, object]:
    """Polls without a pause: a task takes a fiftieth of a second."""
    for _ in range(2000):
        row = alice.get("/api/tasks/", params={"task_id": task}).json()[0]
        if row["status"] in ("SUCCESS", "FAILURE"):
            return dict(row)
    raise AssertionError(row)


def test_an_upgrade_computes_checksums_anew_and_drops_the_tasks(tmp_path: Path) -> None:
    bench = Bench("2.20.15", data=tmp_path)
    task = bench.upload(letter("old"))
    number = bench.stored(task)
    bench.paperless.close()

    bench = Bench("3.0.5", data=tmp_path)

    assert bench.found(checksum__iexact=hashlib.sha256(letter("old")).hexdigest()) == [number]
    assert bench.alice.get("/api/tasks/", params={"task_id": task}).json() == []


def test_there_is_no_way_back_from_an_upgrade(tmp_path: Path) -> None:
    Bench("3.0.5", data=tmp_path).paperless.close()

    with pytest.raises(BadOption, match=r"which 2\.20\.15 cannot read"):
        Bench("2.20.15", data=tmp_path)


def test_a_file_that_cannot_be_deleted_stays_and_nobody_is_told(tmp_path: Path) -> None:
    bench = Bench(data=tmp_path)
    number = bench.store("stubborn")
    original = tmp_path / "originals" / f"{number:07}.pdf"
    original.unlink()
    original.mkdir()
    bench.alice.delete(f"/api/documents/{number}/")

    reply = bench.alice.post("/api/trash/", json={"action": "empty", "documents": [number]})

    assert reply.json() == {"result": "OK", "doc_ids": [number]}
    assert original.exists()
    assert bench.alice.get(f"/api/documents/{number}/download/").status_code == 404
