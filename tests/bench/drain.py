"""drain: documents per second over a loop that makes the same calls, and how busy a slow Paperless is kept."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

import httpx

from scripts.local.functions import ROOT
from tests.bench.filling import fill
from tests.bench.parts import Parts, StandIn, started
from tests.bench.report import Bench
from tests.bench.requests import ORGANIZATION
from tests.bench.serving import Staged, serving, stage

GOAL, BUSY_GOAL = 0.8, 0.95
WORKER_SECONDS = 0.5
POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Counts:
    """How much is delivered."""

    rounds: int
    per_round: int
    for_the_worker: int


@dataclass(frozen=True, slots=True)
class Site:
    """The parts, and our two functions among them."""

    parts: Parts
    callback: str
    drain: Staged

    def environment(self, paperless: StandIn) -> dict[str, str]:
        return self.parts.environment() | {
            "PAPERLESS_URL": paperless.url,
            "PAPERLESS_API_TOKEN": paperless.token,
            "AUDIT_CALLBACK_URL": self.callback,
        }


FULL, QUICK = Counts(7, 200, 60), Counts(1, 8, 6)


def run(bench: Bench) -> None:
    counts = QUICK if bench.quick else FULL
    with started(bench) as parts, serving(stage("audit-callback", parts.folder), parts.environment()) as callback:
        callback.wait_ready()
        site = Site(parts, callback.url, stage("archiver-drain", parts.folder))
        _throughput(bench, site, counts)
        _busy_worker(bench, site, counts.for_the_worker)


def _throughput(bench: Bench, site: Site, counts: Counts) -> None:
    count, paperless = counts.per_round, site.parts.start_stand_in("paperless", consume_seconds=0.0)
    env = site.environment(paperless)
    bench.say(f"{counts.rounds} rounds of {count} documents each, Paperless without delay, in turns")
    rates: dict[str, list[float]] = {"ours": [], "floor": [], "careless": []}
    with (
        drained(site.drain, env) as ours,
        looping("deliver_loop", env) as floor,
        looping("careless_loop", env) as careless,
    ):
        entrants = {"ours": ours, "floor": floor, "careless": careless}
        for number in range(-1, counts.rounds):  # the first round makes the labels, and does not count
            for name in list(entrants)[:: 1 if number % 2 else -1]:
                rate = _round(site.parts, paperless, entrants[name], count, bench if number < 0 else None)
                if number >= 0:
                    rates[name].append(rate)
            if number >= 0:
                bench.say(
                    f"round {number + 1}: " + ", ".join(f"{name} {found[-1]:.1f}/s" for name, found in rates.items())
                )
    _compare(bench, rates)


def _round(parts: Parts, paperless: StandIn, deliver: Callable[[], int], count: int, show: Bench | None) -> float:
    fill(parts, ORGANIZATION, count, size=20_000)
    paperless.reset_counters()
    began = time.perf_counter()
    delivered = deliver()
    seconds = time.perf_counter() - began
    if delivered != count:
        raise RuntimeError(f"{delivered} of {count} documents were delivered")
    if show is not None:
        requests = sum(paperless.state()["requests"].values())
        show.say(f"  a first run: {requests / count:.2f} requests to Paperless per document")
    return count / seconds


def _compare(bench: Bench, rates: Mapping[str, list[float]]) -> None:
    ours, floor = median(rates["ours"]), median(rates["floor"])
    ratio = median(mine / bare for mine, bare in zip(rates["ours"], rates["floor"], strict=True))
    careless = median(mine / bare for mine, bare in zip(rates["ours"], rates["careless"], strict=True))
    bench.main(round(ours, 1), round(floor, 1), round(ratio, 3), goal=GOAL, unit="documents/s")
    bench.figures["over_careless"] = round(careless, 3)
    bench.goal(
        ratio >= GOAL,
        f"{ours:.1f} documents/s is {ratio:.3f} of the floor ({GOAL}), {careless:.3f} of a careless loop",
    )


def _busy_worker(bench: Bench, site: Site, count: int) -> None:
    bench.say(f"{count} documents, one worker that takes {WORKER_SECONDS} s for each")
    paperless = site.parts.start_stand_in("slow-paperless", consume_seconds=WORKER_SECONDS)
    fill(site.parts, ORGANIZATION, count)
    with drained(site.drain, site.environment(paperless)) as deliver:
        running = threading.Thread(target=deliver)
        running.start()
        _until(lambda: sum(paperless.state()["tasks"].values()) > 0)
        paperless.reset_counters()
        _until(lambda: paperless.state()["documents"] >= count)
        state = paperless.state()
        running.join()
    share = state["busy_seconds"] / state["wall_seconds"]
    bench.figures |= {"worker_busy": round(share, 3), "worker_busy_goal": BUSY_GOAL}
    bench.goal(share >= BUSY_GOAL, f"the worker is busy {share:.1%} of the time ({BUSY_GOAL:.0%})")


def _until(true: Callable[[], bool], seconds: float = 240.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise RuntimeError("the drain made no progress")
        time.sleep(POLL_SECONDS)


@contextmanager
def drained(staged: Staged, env: Mapping[str, str]) -> Iterator[Callable[[], int]]:
    """Our function, served; each call is a run, and returns how many documents it archived."""
    with serving(staged, env) as server:
        server.wait_ready()

        def deliver() -> int:
            answer = httpx.post(
                f"{server.url}/",
                json={},
                headers={"X-Internal-Api-Key": env["INTERNAL_API_KEY"]},
                timeout=300,
                trust_env=False,
            )
            return int(answer.raise_for_status().json()["archived"])

        yield deliver


@contextmanager
def looping(name: str, env: Mapping[str, str]) -> Iterator[Callable[[], int]]:
    """A floor in a process of its own, which waits for the word."""
    command = [sys.executable, "-m", f"tests.bench.bare.{name}"]
    with subprocess.Popen(
        command, cwd=ROOT, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def deliver() -> int:
            if process.stdin is None or process.stdout is None:
                raise RuntimeError("the loop has no pipes")
            process.stdin.write("go\n")
            process.stdin.flush()
            return int(json.loads(process.stdout.readline())["documents"])

        try:
            yield deliver
        finally:
            process.kill()
