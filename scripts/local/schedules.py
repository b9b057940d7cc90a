"""Fires the functions' schedules on this machine, as Cloud Scheduler does in production."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import httpx

from scripts.local.console_output import say
from scripts.local.function_facts import FunctionFacts, Schedule

KEY_HEADER = "X-Internal-Api-Key"
SECONDS_PER_CALL = 300.0


@contextmanager
def firing(functions: Iterable[FunctionFacts], url: str, api_key: str) -> Iterator[None]:
    """While the block runs, every function with a schedule is called at its pace; calls of one never overlap."""
    stopped = threading.Event()
    with httpx.Client(trust_env=False, timeout=SECONDS_PER_CALL, headers={KEY_HEADER: api_key}) as client:
        threads = [
            threading.Thread(target=_repeat, args=(client, f"{url}/{facts.name}", facts.schedule, stopped), daemon=True)
            for facts in functions
            if facts.schedule is not None
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stopped.set()
    for thread in threads:
        thread.join(timeout=1.0)


def _repeat(client: httpx.Client, url: str, schedule: Schedule, stopped: threading.Event) -> None:
    previous = ""
    while not stopped.wait(schedule.local_seconds):
        outcome = _fire(client, url + schedule.path, schedule)
        # Said when it changes: a function that fails every five seconds is one line, not a flood.
        if outcome != previous and not stopped.is_set():
            say(f"  schedule of {url.rsplit('/', 1)[-1]}: {outcome}")
        previous = outcome


def _fire(client: httpx.Client, url: str, schedule: Schedule) -> str:
    try:
        answer = client.post(url, json=schedule.body)
    except (httpx.HTTPError, RuntimeError) as error:  # RuntimeError: the client was closed while we were calling
        return f"no answer ({type(error).__name__})"
    return f"answered {answer.status_code}"
