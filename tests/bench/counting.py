"""Counts what a drain asks of its bucket, and lets it deliver only so many documents."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from shared.ports import Workers

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

Result = TypeVar("Result")


class Tally:
    """A client that counts its requests; a page of a listing is one."""

    def __init__(self, client: S3Client) -> None:
        self.requests = 0
        self._client = client
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        with self._lock:
            self.requests += 1
        return getattr(self._client, name)


class FirstFew:
    """Workers that take no more than so many jobs."""

    def __init__(self, workers: Workers, most: int) -> None:
        self._workers = workers
        self._most = most

    def run(self, jobs: Iterator[Callable[[], Result]], width: int) -> Iterator[Result]:
        return self._workers.run(islice(jobs, self._most), width)
