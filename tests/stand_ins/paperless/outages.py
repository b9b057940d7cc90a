"""How the faults show: the answers that go wrong, and what happens behind them."""

from __future__ import annotations

from collections.abc import Callable

from tests.stand_ins.paperless import multipart
from tests.stand_ins.paperless.faults import EVENTS, Fault, FaultBoard
from tests.stand_ins.paperless.messages import (
    Refusal,
    Request,
    Response,
    bare_text,
    broken,
    error_page,
    json_response,
    page,
)
from tests.stand_ins.paperless.world import World

SLOW_SECONDS = 5.0
RETRY_AFTER_SECONDS = 60


def pick(faults: FaultBoard, request: Request) -> Fault | None:
    if not faults.in_force:
        return None
    name = _file_name(request) if faults.cares_for_names() else None
    return faults.take_answer(request.method, request.path, name)


def _file_name(request: Request) -> str | None:
    """The name of the file in an upload."""
    if request.media_type != "multipart/form-data":
        return None
    try:
        parts = multipart.parse(request)
    except Refusal:
        return None
    return next((part.file_name for part in parts if part.file_name is not None), None)


def answer(world: World, fault: Fault, request: Request, serve: Callable[[Request], Response]) -> Response:
    """With `after_effect` the server has done its work before the answer goes wrong."""
    lost = fault.kind == "lost_answer"
    if fault.kind == "slow":
        world.pause(SLOW_SECONDS if fault.seconds is None else fault.seconds)
        return serve(request)
    if fault.after_effect or (lost and fault.after_effect is None):
        serve(request)
    if fault.kind == "hung":
        return broken("hung", fault.seconds)
    if lost or fault.kind == "refused":
        return broken("lost" if lost else "refused")
    if fault.seconds:
        world.pause(fault.seconds)
    return _answers(fault, request)


def _answers(fault: Fault, request: Request) -> Response:
    match fault.kind:
        case "unauthorized":
            return json_response({"detail": "Invalid token."}, 401, {"WWW-Authenticate": "Token"})
        case "forbidden":
            return page("403 Forbidden", 403) if fault.html else bare_text("Insufficient permissions", 403)
        case "login_redirect":
            return page("Log in", 302, {"Location": f"/accounts/login/?next={request.path}"})
        case "throttled":
            wait = RETRY_AFTER_SECONDS if fault.retry_after is None else fault.retry_after
            text = f"Request was throttled. Expected available in {wait} seconds."
            return json_response({"detail": text}, 429, {"Retry-After": str(wait)})
        case _:
            headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
            return error_page(503 if fault.status is None else fault.status).with_headers(headers)


def arrange(world: World, fault: Fault) -> Fault:
    """Events happen now; a worker is killed now if it is at work, else when it next is."""
    now = world.clock.now()
    if fault.kind in EVENTS:
        _EVENTS[fault.kind](world, fault)
        return fault
    if fault.kind == "worker_killed" and world.crew.running:
        _abandon(world, world.crew.kill(now))
        return fault
    return world.faults.add(fault, now)


def _abandon(world: World, tasks: list[int]) -> None:
    for number in tasks:
        task = world.archive.tasks[number]
        with world.archive.changing(task):
            task.abandoned = True


def _lose_tags(world: World, fault: Fault) -> None:
    for document in list(world.archive.documents.values()):
        if fault.file_name in (None, document.original_filename):
            with world.archive.changing(document):
                document.tags = []


def _lose_tasks(world: World, _fault: Fault) -> None:
    """What an upgrade from version 2 to 3 does to the task table."""
    world.crew.lose_queue()
    world.crew.kill(world.clock.now())
    for task in list(world.archive.tasks.values()):
        world.archive.remove(task)


def _lose_queue(world: World, _fault: Fault) -> None:
    """A queue without persistence was restarted: its tasks stay PENDING for ever."""
    _abandon(world, world.crew.lose_queue())


_EVENTS: dict[str, Callable[[World, Fault], None]] = {
    "tags_lost": _lose_tags,
    "tasks_lost": _lose_tasks,
    "queue_lost": _lose_queue,
}
