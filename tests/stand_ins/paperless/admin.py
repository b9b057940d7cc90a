"""/stand-in/: faults on demand, and a look behind the scenes; no real server has this."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from datetime import datetime

from tests.stand_ins.paperless import outages
from tests.stand_ins.paperless.faults import UnknownFault, read_fault
from tests.stand_ins.paperless.messages import Request, Response, json_response
from tests.stand_ins.paperless.records import Json
from tests.stand_ins.paperless.tally import Tally
from tests.stand_ins.paperless.world import World

PREFIX = "/stand-in/"


def answer(world: World, tally: Tally, request: Request, watch: Callable[[datetime], None]) -> Response:
    path = request.path.rstrip("/")
    if path == "/stand-in/faults":
        return _faults(world, request, watch)
    if path == "/stand-in/state" and request.method == "GET":
        return json_response(state(world, tally))
    if path == "/stand-in/reset-counters" and request.method == "POST":
        tally.reset()
        world.crew.reset(world.clock.now())
        return json_response({"result": "OK"})
    return json_response({"detail": f"{request.method} {request.path} is not offered here."}, 404)


def _faults(world: World, request: Request, watch: Callable[[datetime], None]) -> Response:
    if request.method == "DELETE":
        cleared = world.faults.clear()
        watch(world.clock.now())
        return json_response({"cleared": cleared})
    if request.method != "POST":
        return json_response({"faults": [fault.shown() for fault in world.faults.in_force]})
    try:
        fault = outages.arrange(world, read_fault(json.loads(request.body)))
    except (UnknownFault, ValueError) as error:
        return json_response({"detail": str(error)}, 400)
    return json_response(fault.shown(), 201)


def state(world: World, tally: Tally) -> dict[str, Json]:
    """Counts, and how busy the workers were since the counters were last reset."""
    now = world.clock.now()
    return {
        "documents": len(world.archive.catalogue.find("state", "live")),
        "trash": len(world.archive.catalogue.find("state", "trash")),
        "tasks": dict(sorted(Counter(task.status for task in world.archive.tasks.values()).items())),
        "requests": tally.shown(),
        "workers": world.crew.size,
        "busy_seconds": world.crew.busy_seconds(now),
        "wall_seconds": (now - world.crew.since).total_seconds(),
    }
