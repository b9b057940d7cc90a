"""Jobs side by side on threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import TypeVar

Result = TypeVar("Result")


class ThreadWorkers:
    """A thread per running job."""

    def run(self, jobs: Iterator[Callable[[], Result]], width: int) -> Iterator[Result]:
        """Jobs are drawn on the caller's thread, and only after every finished one's result has been taken.

        Whoever stops taking results, or meets the exception of a job, goes on once the running jobs have ended;
        no other is started, and the results of those are dropped.
        """
        running: set[Future[Result]] = set()
        # Never more submitted than there are threads: leaving the block waits for jobs that run, and none is queued.
        with ThreadPoolExecutor(width, thread_name_prefix="job") as pool:
            while True:
                while len(running) < width and (job := next(jobs, None)) is not None:
                    running.add(pool.submit(copy_context().run, job))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
