"""The same bytes twice: one rule for each version and setting, and the race between task workers."""

from __future__ import annotations

from collections import Counter

from tests.stand_ins.bench import Bench
from tests.stand_ins.papers import letter

TWIN = letter("twin")


def test_version_3_stores_the_same_bytes_again() -> None:
    bench = Bench()

    first, second = bench.stored(bench.upload(TWIN)), bench.stored(bench.upload(TWIN))

    assert first != second
    twins = bench.alice.get(f"/api/documents/{second}/").json()["duplicate_documents"]
    assert [twin["id"] for twin in twins] == [first]
    listed = bench.alice.get("/api/documents/").json()["results"]
    assert [row["duplicate_documents"] for row in listed] == [[], []]


def test_version_2_refuses_them_and_names_the_first() -> None:
    bench = Bench("2.20.15")
    first = bench.stored(bench.upload(TWIN, title="The first"))

    row = bench.task(bench.upload(TWIN, "again.pdf", bench.bob), bench.bob)

    assert row["status"] == "FAILURE"
    assert row["related_document"] == str(first)
    assert row["result"] == f"again.pdf: Not consuming again.pdf: It is a duplicate of The first (#{first})."


def test_version_3_refuses_them_when_told_to_and_shows_no_more_than_the_caller_may_see() -> None:
    bench = Bench(delete_duplicates=True)
    first = bench.stored(bench.upload(TWIN))

    own = bench.task(bench.upload(TWIN))
    foreign = bench.task(bench.upload(TWIN, client=bench.bob), bench.bob)

    assert own["result"] == f"Not consuming: It is a duplicate of document #{first}"
    assert (own["status"], own["related_document"]) == ("FAILURE", first)
    assert [twin["id"] for twin in own["duplicate_documents"]] == [first]
    assert (foreign["related_document"], foreign["duplicate_documents"]) == (first, [])


def test_version_10_tells_a_duplicate_in_its_own_words() -> None:
    bench = Bench(delete_duplicates=True)
    first = bench.stored(bench.upload(TWIN))
    bench.alice.delete(f"/api/documents/{first}/")
    task = bench.upload(TWIN)

    row = bench.client("alice", version=10).get("/api/tasks/", params={"task_id": task}).json()["results"][0]

    assert row["status"] == "failure"
    assert row["result_data"] == {"duplicate_of": first, "duplicate_in_trash": True}
    assert row["related_document_ids"] == [first]


def test_version_2_counts_the_trash_until_it_is_emptied() -> None:
    bench = Bench("2.20.15")
    first = bench.stored(bench.upload(TWIN))
    bench.alice.delete(f"/api/documents/{first}/")

    while_trashed = bench.task(bench.upload(TWIN))
    bench.alice.post("/api/trash/", json={"action": "empty", "documents": [first]})
    afterwards = bench.task(bench.upload(TWIN))

    assert while_trashed["result"].endswith("Note: existing document is in the trash.")
    assert while_trashed["related_document"] is None
    assert afterwards["status"] == "SUCCESS"


def test_four_workers_store_four_of_six_equal_files_in_version_3() -> None:
    bench = Bench(consume_seconds=1, task_workers=4, delete_duplicates=True)

    tasks = [bench.upload(TWIN) for _ in range(6)]
    bench.clock.sleep(10)

    statuses = Counter(bench.task(task)["status"] for task in tasks)
    assert statuses == {"SUCCESS": 4, "FAILURE": 2}


def test_the_unique_index_of_version_2_lets_one_of_six_through() -> None:
    bench = Bench("2.20.15", consume_seconds=1, task_workers=4, seed=3)

    tasks = [bench.upload(TWIN) for _ in range(6)]
    bench.clock.sleep(10)

    rows = [bench.task(task) for task in tasks]
    texts = [row["result"] for row in rows if row["status"] == "FAILURE"]
    assert Counter(row["status"] for row in rows) == {"SUCCESS": 1, "FAILURE": 5}
    assert any("UNIQUE constraint failed: documents_document.checksum" in text for text in texts)
    assert any("It is a duplicate of" in text for text in texts)


def test_overlapping_tasks_of_version_2_lose_about_a_quarter_to_the_database() -> None:
    bench = Bench("2.20.15", consume_seconds=1, task_workers=4, seed=1)

    tasks = [bench.upload(letter(f"number {number}")) for number in range(60)]
    bench.clock.sleep(60)

    failures = [row["result"] for row in map(bench.task, tasks) if row["status"] == "FAILURE"]
    assert 5 <= len(failures) <= 25
    assert all(text.endswith("database is locked") for text in failures)


def test_one_worker_of_version_2_loses_nothing() -> None:
    bench = Bench("2.20.15", consume_seconds=1)

    tasks = [bench.upload(letter(f"number {number}")) for number in range(20)]
    bench.clock.sleep(60)

    assert {bench.task(task)["status"] for task in tasks} == {"SUCCESS"}


def test_the_file_of_a_failed_upload_stays_in_scratch() -> None:
    bench = Bench("2.20.15")
    bench.upload(TWIN)
    task = bench.upload(TWIN)

    bench.task(task)

    assert f"scratch/{task}" in bench.files()


def test_the_setting_removes_the_file_of_a_duplicate() -> None:
    bench = Bench(delete_duplicates=True)
    bench.upload(TWIN)
    task = bench.upload(TWIN)

    bench.task(task)

    assert not any(key.startswith("scratch/") for key in bench.files())
