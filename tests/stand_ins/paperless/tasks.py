"""/api/tasks/: what became of the uploads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tests.stand_ins.paperless import forms, task_rows
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.form import Form, Wrong
from tests.stand_ins.paperless.lookups import Parameters
from tests.stand_ins.paperless.messages import Response, denied, invalid, json_response, not_found
from tests.stand_ins.paperless.paging import paginate
from tests.stand_ins.paperless.records import Json, Task

_STATUSES_2 = ("FAILURE", "PENDING", "RECEIVED", "RETRY", "REVOKED", "STARTED", "SUCCESS")
_STATUSES_3 = ("pending", "started", "success", "failure", "revoked")
_FINAL = ("SUCCESS", "FAILURE", "REVOKED")
_TYPES = ("auto_task", "scheduled_task", "manual_task")
_NAMES = ("consume_file", "train_classifier", "check_sanity", "index_optimize")


def list_tasks(call: Call) -> Response:
    _check_choices(call)
    tests = [*_tests(call)]
    tasks = [task for task in _visible(call) if all(passes(task) for passes in tests)]
    tasks.sort(key=lambda task: (task.created, task.id), reverse=True)
    if call.version >= 10:
        return json_response(paginate(call, tasks, lambda task: task_rows.show(call, task), with_all=False))
    return json_response([task_rows.show(call, task) for task in tasks])


def show(call: Call, key: str) -> Response:
    if not key.isascii() or not key.isdecimal():
        raise not_found()
    task = call.archive.tasks.get(int(key))
    if task is None or not _sees(call, task):
        raise not_found("PaperlessTask")
    return json_response(task_rows.show(call, task))


def acknowledge(call: Call) -> Response:
    if not call.user.may("change_paperlesstask"):
        raise denied()
    form = Form(call.data())
    form.read("tasks", lambda value: _known(call, value), required=not call.world.is_v3)
    form.read("all", forms.boolean)
    form.refuse_if_wrong()
    chosen = _chosen(call, form.clean)
    for task in chosen:
        with call.archive.changing(task):
            task.acknowledged = True
    return json_response({"result": len(chosen)})


def _known(call: Call, value: Json) -> list[int]:
    numbers = forms.integers(value)
    if len(set(numbers) & call.archive.tasks.keys()) != len(numbers):
        raise Wrong("Some tasks in tasks don't exist or were specified twice.")
    return numbers


def _chosen(call: Call, clean: dict[str, Json]) -> list[Task]:
    everything = call.world.is_v3 and clean.get("all", False)
    if everything and "tasks" in clean:
        raise invalid({"non_field_errors": ["Set either all or tasks, not both."]})
    if not everything and "tasks" not in clean:
        raise invalid({"non_field_errors": ["Either all must be true or tasks must be provided."]})
    if everything:
        return [task for task in call.archive.tasks.values() if not task.acknowledged]
    return [call.archive.tasks[number] for number in clean["tasks"]]


def _visible(call: Call) -> Iterable[Task]:
    task_id = call.parameters.get("task_id")
    if task_id is None:
        return [task for task in call.archive.tasks.values() if _sees(call, task)]
    task = call.archive.task(task_id)
    return [task] if task is not None and _sees(call, task) else []


def _sees(call: Call, task: Task) -> bool:
    return call.user.is_superuser or task.owner == call.user.id


def _tests(call: Call) -> Iterator[Callable[[Task], bool]]:
    parameters, is_v3 = Parameters(call.parameters), call.world.is_v3
    acknowledged, complete = parameters.boolean("acknowledged"), parameters.boolean("is_complete")
    if acknowledged is not None:
        yield lambda task: task.acknowledged == acknowledged
    if is_v3 and complete is not None:
        yield lambda task: (task.status in _FINAL) == complete
    statuses = _statuses(call)
    if statuses:
        yield lambda task: task.status in statuses
    name, kind = parameters.text("task_name"), parameters.text("type")
    shown = "manual_task" if is_v3 else "auto_task"
    others = {*_NAMES, *_TYPES} - {"consume_file", shown}
    if call.version < 10 and (name in others or kind in others or (is_v3 and name not in (None, *_NAMES))):
        yield lambda _task: False


def _statuses(call: Call) -> list[str]:
    """Version 3 takes several statuses, version 2 the last."""
    given = [value for name, value in call.request.pairs if name == "status" and value]
    return [value.upper() for value in (given if call.world.is_v3 else given[-1:])]


def _check_choices(call: Call) -> None:
    """The words are those of the server, whatever version of the API is asked for."""
    errors: dict[str, Json] = {}
    known: dict[str, tuple[str, ...]] = {"status": _STATUSES_3 if call.world.is_v3 else _STATUSES_2}
    if not call.world.is_v3:
        known |= {"type": _TYPES, "task_name": _NAMES}
    for name, value in call.request.pairs:
        if value and name in known and value not in known[name]:
            errors[name] = [f"Select a valid choice. {value} is not one of the available choices."]
    if errors:
        raise invalid(errors)
