"""archive-write: documents per second over two PUTs and one INSERT, and memory that does not grow."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from scripts.local.functions import ROOT
from tests.bench import floor_tables, requests
from tests.bench.parts import Parts, started
from tests.bench.report import Bench
from tests.bench.serving import Served, serving, stage, stage_bare

GOAL = 0.75
CLIENTS, SIZE = 8, 200_000
LARGE, MOST_FOR_LARGE = 30_000_000, 100_000_000
MOST_GROWTH = 0.10
MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Counts:
    """How much is sent."""

    rounds: int
    per_round: int
    warm_up: int
    total: int


FULL, QUICK = Counts(9, 400, 2000, 10_000), Counts(1, 16, 16, 48)


@dataclass(frozen=True, slots=True)
class Senders:
    """The clients' process."""

    process: subprocess.Popen[str]
    key: str

    def send(self, served: Served, count: int) -> float:
        """Seconds until all were answered."""
        order = {"port": served.port, "key": self.key, "count": count, "clients": CLIENTS, "size": SIZE}
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("the senders have no pipes")
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


@contextmanager
def senders(parts: Parts) -> Iterator[Senders]:
    command = [sys.executable, "-m", "tests.bench.senders"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Senders(process, parts.internal_api_key)
        finally:
            process.kill()


def run(bench: Bench) -> None:
    counts = QUICK if bench.quick else FULL
    with started(bench) as parts, senders(parts) as clients:
        floor_tables.create(parts)
        env = parts.environment()
        ours, floor = stage("archive-write", parts.folder), stage_bare("archive-write-steady", parts.folder)
        with serving(ours, env) as our_server, serving(floor, env) as floor_server:
            our_server.wait_ready()
            floor_server.wait_ready()
            _throughput(bench, clients, our_server, floor_server, counts)
        with serving(ours, env) as server:
            server.wait_ready()
            _memory(bench, clients, server, counts)
            _large_document(bench, server, parts.internal_api_key)


def _throughput(bench: Bench, clients: Senders, ours: Served, floor: Served, counts: Counts) -> None:
    count = counts.per_round
    bench.say(f"{counts.rounds} rounds of {count} documents of {SIZE} bytes each, {CLIENTS} clients, in turns")
    for server in (ours, floor):
        clients.send(server, count)
    rates: dict[str, list[float]] = {"ours": [], "floor": []}
    for number in range(counts.rounds):
        # Who goes first changes, because the disk is busier for whoever comes second.
        for name, server in (("ours", ours), ("floor", floor))[:: 1 if number % 2 else -1]:
            rates[name].append(count / clients.send(server, count))
        bench.say(f"round {number + 1}: ours {rates['ours'][-1]:.0f}/s, floor {rates['floor'][-1]:.0f}/s")
    our_rate, floor_rate = median(rates["ours"]), median(rates["floor"])
    ratio = median(mine / bare for mine, bare in zip(rates["ours"], rates["floor"], strict=True))
    bench.main(round(our_rate, 1), round(floor_rate, 1), round(ratio, 3), goal=GOAL, unit="documents/s")
    bench.goal(ratio >= GOAL, f"{our_rate:.0f} documents/s is {ratio:.3f} of the floor ({GOAL})")


def _memory(bench: Bench, clients: Senders, server: Served, counts: Counts) -> None:
    bench.say(f"memory over {counts.total} documents")
    sent, samples = 0, []
    while sent < counts.total:
        step = min(counts.warm_up // 2, counts.total - sent)
        clients.send(server, step)
        sent += step
        samples.append((sent, server.resident()))
        bench.say(f"  {sent} documents: {samples[-1][1] / MB:.1f} MB")
    warm = next(resident for count, resident in samples if count >= counts.warm_up)
    growth = max(resident for count, resident in samples if count >= counts.warm_up) / warm - 1
    bench.figures["resident_mb"] = {str(count): round(resident / MB, 1) for count, resident in samples}
    bench.figures["growth"] = round(growth, 3)
    bench.goal(
        growth < MOST_GROWTH, f"memory grew by {growth:.1%} after {counts.warm_up} documents ({MOST_GROWTH:.0%})"
    )


def _large_document(bench: Bench, server: Served, key: str) -> None:
    request, before = requests.archive_a_document(key, LARGE), server.resident()
    highest, done = [before], threading.Event()

    def watch() -> None:
        while not done.wait(0.005):
            highest.append(server.resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        server.first_success(request)
    finally:
        done.set()
        watcher.join()
    added = max(highest) - before
    bench.figures["large_document_adds_mb"] = round(added / MB, 1)
    bench.goal(
        added < MOST_FOR_LARGE, f"a PDF of {LARGE // MB} MB adds {added / MB:.1f} MB ({MOST_FOR_LARGE // MB} MB)"
    )
