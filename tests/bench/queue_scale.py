"""queue-scale: a document costs the same whether a thousand or a hundred thousand lie behind it, and nobody starves."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from scripts.local.addresses import QUEUE_BUCKET
from scripts.local.functions import ROOT
from tests.bench.filling import fill
from tests.bench.parts import Parts, StandIn, started
from tests.bench.report import Bench
from tests.bench.requests import ORGANIZATION
from tests.bench.serving import serving, stage

SMALL = UUID("0d9b0f52-61c5-4c52-8f3c-8fd7ec4c7a02")
TIME_GOAL, REQUEST_GOAL, MEMORY_GOAL = 0.30, 0.05, 300.0


@dataclass(frozen=True, slots=True)
class Counts:
    """The queues, and how many documents are delivered from each."""

    sizes: tuple[int, ...]
    deliver: int


FULL, QUICK = Counts((1_000, 10_000, 100_000), 500), Counts((20, 60), 10)


def run(bench: Bench) -> None:
    counts = QUICK if bench.quick else FULL
    with started(bench) as parts, serving(stage("audit-callback", parts.folder), parts.environment()) as callback:
        callback.wait_ready()
        paperless = parts.start_stand_in("paperless", consume_seconds=0.0)
        env = parts.environment() | {
            "PAPERLESS_URL": paperless.url,
            "PAPERLESS_API_TOKEN": paperless.token,
            "AUDIT_CALLBACK_URL": callback.url,
            "PYTHONPATH": str(ROOT),
        }
        warm_up = counts.deliver // 10
        fill(parts, ORGANIZATION, counts.sizes[0] + warm_up)
        _deliver(env, paperless, warm_up)  # makes the labels
        queued, figures = counts.sizes[0], {}
        for size in counts.sizes:
            bench.say(f"a queue of {size}: filling")
            fill(parts, ORGANIZATION, size - queued)
            figures[str(size)] = _deliver(env, paperless, counts.deliver)
            queued = size - counts.deliver
            bench.say(f"a queue of {size}: {figures[str(size)]}")
        _judge(bench, figures)
        _nobody_starves(bench, parts, env, paperless, counts.deliver)


def _deliver(env: Mapping[str, str], paperless: StandIn, count: int) -> dict[str, float]:
    """Per document, but for the memory of the whole process."""
    paperless.reset_counters()
    command = [sys.executable, "-m", "tests.bench.drain_once", str(count)]
    done = subprocess.run(command, cwd=ROOT, env=dict(env), stdout=subprocess.PIPE, text=True, check=True, timeout=600)
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if said["archived"] != count:
        raise RuntimeError(f"{said['archived']} of {count} documents were delivered: {said['report']}")
    return {
        "ms": round(1000 * said["seconds"] / count, 2),
        "store_requests": round(said["store_requests"] / count, 3),
        "paperless_requests": round(sum(paperless.state()["requests"].values()) / count, 3),
        "resident_mb": round(said["resident_mb"], 1),
    }


def _judge(bench: Bench, figures: Mapping[str, Mapping[str, float]]) -> None:
    smallest, largest = next(iter(figures)), list(figures)[-1]
    times = [each["ms"] for each in figures.values()]
    middle = sum(times) / len(times)
    spread = max(abs(ms / middle - 1) for ms in times)
    requests = [each["store_requests"] + each["paperless_requests"] for each in figures.values()]
    ratio = figures[largest]["ms"] / figures[smallest]["ms"]
    bench.main(figures[largest]["ms"], figures[smallest]["ms"], round(ratio, 3), goal=1 + TIME_GOAL, unit="ms/document")
    bench.figures |= {"sizes": figures, "time_spread": round(spread, 3)}
    bench.goal(spread <= TIME_GOAL, f"time per document differs by {spread:.1%} from the mean ({TIME_GOAL:.0%})")
    bench.goal(
        max(requests) - min(requests) <= REQUEST_GOAL,
        f"requests per document: {', '.join(f'{each:.3f}' for each in requests)} (equal to {REQUEST_GOAL})",
    )
    memory = max(each["resident_mb"] for each in figures.values())
    bench.goal(memory < MEMORY_GOAL, f"the drain takes {memory} MB ({MEMORY_GOAL} MB)")


def _nobody_starves(bench: Bench, parts: Parts, env: Mapping[str, str], paperless: StandIn, count: int) -> None:
    fill(parts, SMALL, 1)
    _deliver(env, paperless, count)
    left = parts.store.access.client().list_objects_v2(Bucket=QUEUE_BUCKET, Prefix=f"org/{SMALL}/")["KeyCount"]
    bench.figures["small_organization_delivered"] = left == 0
    bench.goal(left == 0, "a small organisation's first document is delivered in the first run, behind all the others")
