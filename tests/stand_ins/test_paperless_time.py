"""Time: what happens when, and that the same seed makes the same history."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stand_ins.bench import Bench
from tests.stand_ins.paperless.clocks import VirtualClock
from tests.stand_ins.paperless.options import VERSIONS, ServerVersion
from tests.stand_ins.paperless.workers import Crew
from tests.stand_ins.papers import letter


def history(version: ServerVersion, seed: int) -> list[object]:
    """Everything a client sees of a busy and unlucky hour."""
    bench = Bench(version, consume_seconds=3, task_workers=3, seed=seed)
    chance = random.Random(seed)
    tasks = []
    for number in range(30):
        tasks.append(bench.upload(letter(str(number))))
        if chance.random() < 0.2:
            bench.fault(chance.choice(["stuck", "database_locked", "worker_exited", "worker_killed"]))
        bench.clock.sleep(chance.uniform(0, 4))
    bench.clock.sleep(3600)
    return [bench.task(task) for task in tasks] + [bench.alice.get("/api/documents/").json(), bench.paperless.state()]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_seed_makes_a_history(version: ServerVersion) -> None:
    assert history(version, 7) == history(version, 7)


def test_another_seed_makes_another() -> None:
    assert history("2.20.15", 1) != history("2.20.15", 2)


def test_one_worker_does_one_thing_after_another() -> None:
    bench = Bench(consume_seconds=10)
    tasks = [bench.upload(letter(str(number))) for number in range(3)]

    seen = []
    for _ in range(4):
        seen.append([bench.task(task)["status"] for task in tasks])
        bench.clock.sleep(10)

    assert seen == [
        ["STARTED", "PENDING", "PENDING"],
        ["SUCCESS", "STARTED", "PENDING"],
        ["SUCCESS", "SUCCESS", "STARTED"],
        ["SUCCESS", "SUCCESS", "SUCCESS"],
    ]


def test_nothing_takes_any_time_if_told_so() -> None:
    bench = Bench(consume_seconds=0)

    task = bench.upload(letter("at once"))

    assert bench.task(task)["status"] == "SUCCESS"


def test_version_10_tells_how_long_it_took() -> None:
    bench = Bench(consume_seconds=10)
    bench.upload(letter("first"))
    task = bench.upload(letter("second"))
    bench.clock.sleep(25)

    row = bench.client("alice", version=10).get("/api/tasks/", params={"task_id": task}).json()["results"][0]

    assert (row["wait_time_seconds"], row["duration_seconds"]) == (10, 10)


@given(
    size=st.integers(1, 4),
    seconds=st.integers(0, 5),
    gaps=st.lists(st.integers(0, 6), max_size=20),
    looks=st.lists(st.integers(1, 9), max_size=20),
)
def test_every_task_is_done_once_and_no_worker_does_two_at_a_time(
    size: int, seconds: int, gaps: list[int], looks: list[int]
) -> None:
    clock = VirtualClock()
    crew = Crew(size, seconds, clock.now())
    at_work, most, done = [0], [0], []

    def begin(_task: int, _at: object) -> bool:
        at_work[0] += 1
        most[0] = max(most[0], at_work[0])
        return True

    def finish(task: int, _at: object) -> None:
        at_work[0] -= 1
        done.append(task)

    crew.begin, crew.finish = begin, finish
    for task, gap in enumerate(gaps):
        clock.sleep(gap)
        crew.post(task, clock.now())
        for _ in looks[task : task + 1]:
            crew.advance(clock.now())
    clock.sleep(1000)
    crew.advance(clock.now())

    assert done == list(range(len(gaps)))
    assert most[0] <= size
    assert crew.busy_seconds(clock.now()) == seconds * len(gaps)
