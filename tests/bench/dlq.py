"""dlq-alert: a first page of 10,000 dead letters against one LIST call, filtered or not, and flat memory."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any
from urllib.parse import urlencode

from scripts.local.addresses import DLQ_BUCKET
from scripts.local.ports import HOST
from tests.bench import letters
from tests.bench.parts import Parts, started
from tests.bench.report import Bench
from tests.bench.serving import Served, Staged, serving, stage

GOAL = 10.0
PAGE_OF_KEYS, MOST_KEYS = 100, 1000
MOST_GROWTH = 0.10
MB = 1_000_000
FILTERS: dict[str, dict[str, str]] = {
    "no filter": {},
    "organisation": {"organizationId": str(letters.ORGANIZATIONS[3])},
    "type": {"documentType": "contract"},
    "reason": {"reason": letters.REASONS[1]},
    "age": {"minAgeHours": "48"},
    "all filters": {
        "organizationId": str(letters.ORGANIZATIONS[3]),
        "documentType": "contract",
        "reason": letters.REASONS[1],
        "minAgeHours": "1",
    },
}


@dataclass(frozen=True, slots=True)
class Counts:
    """How many letters there are, and how often each thing is measured."""

    letters: int
    repeats: int


FULL, QUICK = Counts(10_000, 40), Counts(200, 3)


@dataclass(frozen=True, slots=True)
class Client:
    """One connection to dlq-alert, as an operator's console keeps it."""

    connection: http.client.HTTPConnection
    key: str

    def page(self, **query: str) -> dict[str, Any]:
        self.connection.request("GET", f"/v1/dead-letters?{urlencode(query)}", headers={"X-Internal-Api-Key": self.key})
        response = self.connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise RuntimeError(f"the list was answered {response.status}: {body[:300]!r}")
        page: dict[str, Any] = json.loads(body)
        return page

    def walk(self) -> int:
        """Every page to the last; how many letters that were."""
        page = self.page(limit="100")
        seen = len(page["letters"])
        while page["more"]:
            page = self.page(limit="100", cursor=page["cursor"])
            seen += len(page["letters"])
        return seen


def run(bench: Bench) -> None:
    counts = QUICK if bench.quick else FULL
    with started(bench) as parts:
        bench.say(f"{counts.letters} dead letters of {len(letters.ORGANIZATIONS)} organisations, with their rows")
        letters.bury(parts, counts.letters)
        floors = {keys: _median_ms(_list_call(parts, keys), counts.repeats) for keys in (PAGE_OF_KEYS, MOST_KEYS)}
        bench.say("one LIST call: " + ", ".join(f"{ms:.2f} ms for {keys} keys" for keys, ms in floors.items()))
        ours = stage("dlq-alert", parts.folder)
        with serving(stage("audit-callback", parts.folder), parts.environment()) as audit:
            audit.wait_ready()
            with _watching(parts, ours, audit.url) as (server, client):
                found = _first_pages(bench, client, counts)
                _memory(bench, server, client, counts)
        with _watching(parts, ours, audit.url) as (_, client):
            found["without its database"] = _timed(client, {}, counts, source="listing")
    bench.figures["list_call_ms"] = {str(keys): round(ms, 2) for keys, ms in floors.items()}
    _conclude(bench, min(floors.values()), found)


@contextmanager
def _watching(parts: Parts, ours: Staged, audit_url: str) -> Iterator[tuple[Served, Client]]:
    nowhere = f"http://{HOST}:9"
    env = {**parts.environment(), "AUDIT_CALLBACK_URL": audit_url, "ARCHIVER_DRAIN_URL": nowhere}
    with serving(ours, env) as server:
        server.wait_ready()
        with closing(http.client.HTTPConnection(HOST, server.port, timeout=60)) as connection:
            yield server, Client(connection, parts.internal_api_key)


def _first_pages(bench: Bench, client: Client, counts: Counts) -> dict[str, float]:
    found = {name: _timed(client, query, counts, source="rows") for name, query in FILTERS.items()}
    for name, milliseconds in found.items():
        bench.say(f"first page, {name}: {milliseconds:.2f} ms")
    return found


def _timed(client: Client, query: dict[str, str], counts: Counts, *, source: str) -> float:
    page = client.page(**query)
    if page["source"] != source or not page["letters"]:
        raise RuntimeError(f"{query} gave {len(page['letters'])} letters from {page['source']}, not from {source}")
    return _median_ms(lambda: client.page(**query), counts.repeats)


def _memory(bench: Bench, server: Served, client: Client, counts: Counts) -> None:
    """Once through all warms it up; after that it must not grow."""
    samples = []
    for _ in range(4):
        seen = client.walk()
        bench.goal(seen == counts.letters, f"{seen} letters seen page by page, of {counts.letters}")
        samples.append(server.resident())
    growth = max(samples) / samples[0] - 1
    bench.figures |= {"resident_mb": [round(each / MB, 1) for each in samples], "growth": round(growth, 3)}
    bench.goal(growth < MOST_GROWTH, f"memory grew by {growth:.1%} over four walks through all ({MOST_GROWTH:.0%})")


def _list_call(parts: Parts, keys: int) -> Callable[[], object]:
    """What the bucket gives in one answer, on a connection that is warm already."""
    client = parts.store.access.client()
    parts.on_exit.callback(client.close)

    def call() -> object:
        return client.list_objects_v2(Bucket=DLQ_BUCKET, Prefix="org/", MaxKeys=keys)

    call()
    return call


def _median_ms(call: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - began))
    return median(times)


def _conclude(bench: Bench, floor: float, found: dict[str, float]) -> None:
    ours = {name: round(milliseconds, 2) for name, milliseconds in found.items()}
    ratio = {name: round(milliseconds / floor, 2) for name, milliseconds in found.items()}
    bench.main(ours, round(floor, 2), ratio, goal=GOAL, unit="ms")
    for name, milliseconds in ours.items():
        bench.goal(
            ratio[name] <= GOAL, f"first page, {name}: {milliseconds} ms is {ratio[name]} LIST calls ({GOAL:.0f})"
        )
