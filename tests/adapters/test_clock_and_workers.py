"""Real time, and jobs on real threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from datetime import timedelta

import pytest

from shared.adapters.clock import SystemClock
from shared.adapters.workers import ThreadWorkers
from shared.ports import Clock, Workers

PATIENCE = 10.0
REQUEST: ContextVar[str] = ContextVar("REQUEST", default="none")


@pytest.fixture
def clock() -> Clock:
    return SystemClock()


@pytest.fixture
def workers() -> Workers:
    return ThreadWorkers()


class Drawn:
    """Jobs that count how many were asked for, and by which thread."""

    def __init__(self, jobs: list[Callable[[], int]]) -> None:
        self.count = 0
        self.threads: set[int] = set()
        self._jobs = iter(jobs)

    def __iter__(self) -> Iterator[Callable[[], int]]:
        return self

    def __next__(self) -> Callable[[], int]:
        self.threads.add(threading.get_ident())
        job = next(self._jobs)
        self.count += 1
        return job


def job(result: int, gate: threading.Event | None = None) -> Callable[[], int]:
    def run() -> int:
        assert gate is None or gate.wait(PATIENCE)
        return result

    return run


def failing() -> int:
    raise LookupError("this job")


class TestSystemClock:
    def test_tells_the_time_in_utc(self, clock: Clock) -> None:
        assert clock.now().utcoffset() == timedelta()

    def test_sleeps_for_real(self, clock: Clock) -> None:
        before = clock.now()

        clock.sleep(0.05)

        assert clock.now() - before >= timedelta(seconds=0.045)

    def test_has_already_slept_a_time_that_is_past(self, clock: Clock) -> None:
        before = clock.now()

        clock.sleep(-5)

        assert clock.now() - before < timedelta(seconds=1)


class TestThreadWorkers:
    def test_every_job_gives_its_result(self, workers: Workers) -> None:
        results = list(workers.run(iter([job(number) for number in range(50)]), 4))

        assert sorted(results) == list(range(50))

    def test_no_jobs_give_no_results(self, workers: Workers) -> None:
        nothing: list[Callable[[], int]] = []

        assert list(workers.run(iter(nothing), 4)) == []

    def test_as_many_as_the_width_run_side_by_side(self, workers: Workers) -> None:
        together = threading.Barrier(4)

        results = list(workers.run(iter([lambda: together.wait(PATIENCE) >= 0] * 8), 4))

        assert results == [True] * 8

    def test_never_more_than_the_width_run(self, workers: Workers) -> None:
        lock, running, most = threading.Lock(), 0, 0

        def count() -> None:
            nonlocal running, most
            with lock:
                running += 1
                most = max(most, running)
            threading.Event().wait(0.005)
            with lock:
                running -= 1

        list(workers.run(iter([count] * 30), 3))

        assert most == 3

    def test_results_come_as_they_are_ready(self, workers: Workers) -> None:
        gate = threading.Event()
        results = workers.run(iter([job(1, gate), job(2)]), 2)

        first = next(results)
        gate.set()

        assert [first, *results] == [2, 1]

    def test_the_next_job_is_asked_for_only_when_there_is_room(self, workers: Workers) -> None:
        gate = threading.Event()
        jobs = Drawn([job(1), job(2, gate), job(3, gate), job(4, gate)])
        results = workers.run(jobs, 2)

        before = jobs.count
        next(results)
        after_the_first_result = jobs.count
        gate.set()

        assert (before, after_the_first_result) == (0, 2)
        assert sorted(results) == [2, 3, 4]

    def test_jobs_are_drawn_on_the_caller_s_thread(self, workers: Workers) -> None:
        jobs = Drawn([job(number) for number in range(20)])

        list(workers.run(jobs, 4))

        assert jobs.threads == {threading.get_ident()}

    def test_a_failure_reaches_the_caller_after_running_jobs_have_ended(self, workers: Workers) -> None:
        gate, ended = threading.Event(), threading.Event()

        def slow() -> int:
            assert gate.wait(PATIENCE)
            ended.set()
            return 1

        opener = threading.Timer(0.1, gate.set)
        opener.start()
        jobs = Drawn([slow, failing, job(2)])

        with pytest.raises(LookupError, match="this job"):
            list(workers.run(jobs, 2))

        assert ended.is_set()
        assert jobs.count == 2
        opener.join()

    def test_who_stops_early_waits_for_running_jobs_and_starts_no_other(self, workers: Workers) -> None:
        gate, ended = threading.Event(), threading.Event()

        def slow() -> int:
            assert gate.wait(PATIENCE)
            ended.set()
            return 1

        jobs = Drawn([job(0), slow, job(2), job(3)])
        results = workers.run(jobs, 2)
        next(results)
        opener = threading.Timer(0.1, gate.set)
        opener.start()

        close(results)

        assert ended.is_set()
        assert jobs.count == 2
        opener.join()

    def test_a_failure_of_the_source_of_jobs_reaches_the_caller(self, workers: Workers) -> None:
        def source() -> Iterator[Callable[[], int]]:
            yield job(1)
            raise LookupError("the source")

        with pytest.raises(LookupError, match="the source"):
            list(workers.run(source(), 4))

    def test_a_job_sees_the_caller_s_context(self, workers: Workers) -> None:
        token = REQUEST.set("abc")

        results = list(workers.run(iter([REQUEST.get] * 3), 2))

        REQUEST.reset(token)
        assert results == ["abc"] * 3

    def test_a_job_s_changes_to_the_context_stay_its_own(self, workers: Workers) -> None:
        list(workers.run(iter([lambda: REQUEST.set("changed")] * 3), 2))

        assert REQUEST.get() == "none"


def close(results: Iterator[int]) -> None:
    """What the end of a generator's life does."""
    stop = getattr(results, "close", None)
    assert stop is not None
    stop()
