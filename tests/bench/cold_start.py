"""cold-start: from the start of the process to the first real success, over the same libraries with nothing of ours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median

from scripts.local import ports
from tests.bench import floor_tables, requests
from tests.bench.parts import Parts, started
from tests.bench.report import Bench
from tests.bench.serving import Request, Staged, serving, stage, stage_bare

GOAL = 1.25
EMPTY_BUCKET = "bilko-archive-empty"
ROUNDS, QUICK_ROUNDS = 15, 1
FIRST_SUCCESS: dict[str, Callable[[str], Request]] = {
    "archive-write": requests.archive_a_document,
    "audit-callback": requests.record_a_delivery,
    "archiver-drain": requests.drain_nothing,
}
HELLO = Request("GET", "/", b"", {}, expected=200)


@dataclass(frozen=True, slots=True)
class Entrant:
    """Something to start, and what it must answer."""

    staged: Staged
    request: Callable[[], Request]
    env: Mapping[str, str]


def run(bench: Bench) -> None:
    with started(bench) as parts:
        floor_tables.create(parts)
        parts.store.create_buckets(EMPTY_BUCKET)
        entrants = _entrants(parts)
        bench.say("one start of each that does not count, which also compiles what is not compiled yet")
        _start_each(entrants)
        times: dict[str, list[float]] = defaultdict(list)
        for number in range(QUICK_ROUNDS if bench.quick else ROUNDS):
            for name, seconds in _start_each(entrants).items():
                times[name].append(1000 * seconds)
            bench.say(
                f"round {number + 1}: " + ", ".join(f"{name} {found[-1]:.0f} ms" for name, found in times.items())
            )
    _conclude(bench, {name: median(found) for name, found in times.items()})


def _environment(parts: Parts, name: str) -> dict[str, str]:
    env = parts.environment()
    if name == "archiver-drain":
        # Nobody is there, and nobody is asked: the queue is empty.
        nowhere = f"http://{ports.HOST}:9"
        env |= {"PAPERLESS_URL": nowhere, "PAPERLESS_API_TOKEN": "unused", "AUDIT_CALLBACK_URL": nowhere}
        env["AWS_S3_ARCHIVE_BUCKET"] = EMPTY_BUCKET
    return env


def _entrants(parts: Parts) -> dict[str, Entrant]:
    """Ours and the floor of each function side by side, so that they run in turns."""
    found = {}
    for name, request in FIRST_SUCCESS.items():
        asked, env = partial(request, parts.internal_api_key), _environment(parts, name)
        found[name] = Entrant(stage(name, parts.folder), asked, env)
        found[f"bare {name}"] = Entrant(stage_bare(name, parts.folder), asked, env)
    return {**found, "hello": Entrant(stage_bare("hello", parts.folder), lambda: HELLO, parts.environment())}


def _start_each(entrants: Mapping[str, Entrant]) -> dict[str, float]:
    found = {}
    for name, entrant in entrants.items():
        request = entrant.request()
        with serving(entrant.staged, entrant.env) as served:
            found[name] = served.first_success(request)
    return found


def _conclude(bench: Bench, medians: Mapping[str, float]) -> None:
    ours = {name: round(medians[name], 1) for name in FIRST_SUCCESS}
    floor = {name: round(medians[f"bare {name}"], 1) for name in FIRST_SUCCESS}
    ratio = {name: round(ours[name] / floor[name], 3) for name in FIRST_SUCCESS}
    hello = {name: round(ours[name] / medians["hello"], 3) for name in FIRST_SUCCESS}
    bench.main(ours, floor, ratio, goal=GOAL, unit="ms")
    bench.figures |= {"hello": round(medians["hello"], 1), "over_hello": hello}
    for name in FIRST_SUCCESS:
        bench.goal(
            ratio[name] <= GOAL,
            f"{name} {ours[name]} ms is {ratio[name]} of its floor ({GOAL}), {hello[name]} of a hello world",
        )
