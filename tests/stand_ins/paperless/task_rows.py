"""Tasks as the API shows them, in version 9 and in version 10."""

from __future__ import annotations

from tests.stand_ins.paperless import rights
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.clocks import moment
from tests.stand_ins.paperless.records import Json, Task

TRACEBACK = '  File "documents/tasks.py", line 1, in consume_file\n'


def show(call: Call, task: Task) -> dict[str, Json]:
    if not call.world.is_v3:
        return _of_server_2(call, task)
    return _in_version_9(call, task) if call.version < 10 else _in_version_10(task)


def _common(task: Task) -> dict[str, Json]:
    return {
        "id": task.id,
        "task_id": task.task_id,
        "task_name": "consume_file",
        "task_file_name": task.file_name,
        "date_created": task.created,
        "date_done": task.done,
        "type": "manual_task",
        "status": task.status,
        "result": None,
        "acknowledged": task.acknowledged,
        "related_document": None,
        "owner": task.owner,
    }


def _of_server_2(call: Call, task: Task) -> dict[str, Json]:
    """A failure first shows an object in memory; the reason takes its place a moment later."""
    row = _common(task) | {"type": "auto_task"}
    if task.result is None:
        return row
    if task.status == "SUCCESS":
        number = task.result["document_id"]
        return row | {"result": _new(number), "related_document": str(number)}
    if not task.told:
        with call.archive.changing(task):
            task.told = True
        address = 0x7F0000000000 | call.world.random.getrandbits(36)
        return row | {"result": f"<traceback object at {address:#x}>"}
    row["result"] = task.result["error_message"]
    if "duplicate_of" in task.result and not task.result["duplicate_in_trash"]:
        row["related_document"] = str(task.result["duplicate_of"])
    return row


def _new(number: int) -> str:
    return f"Success. New document id {number} created"


def _in_version_9(call: Call, task: Task) -> dict[str, Json]:
    row = _common(task) | {"duplicate_documents": []}
    result = task.result or {}
    if "document_id" in result:
        row |= {"result": _new(result["document_id"]), "related_document": result["document_id"]}
    elif "duplicate_of" in result:
        number = result["duplicate_of"]
        row |= {
            "result": f"Not consuming: It is a duplicate of document #{number}",
            "related_document": number,
            "duplicate_documents": _twin(call, number),
        }
    elif result:
        row["result"] = result["error_message"]
    return row


def _twin(call: Call, number: int) -> list[Json]:
    twin = call.archive.documents.get(number)
    if twin is None or not rights.sees(call.user, twin):
        return []
    return [{"id": twin.id, "title": twin.title, "deleted_at": twin.deleted_at}]


def _in_version_10(task: Task) -> dict[str, Json]:
    result = _result_data(task)
    related = [result[key] for key in ("document_id", "duplicate_of") if result and key in result]
    return {
        "id": task.id,
        "task_id": task.task_id,
        "task_type": "consume_file",
        "task_type_display": "Consume File",
        "trigger_source": "api_upload",
        "trigger_source_display": "API Upload",
        "status": task.status.lower(),
        "status_display": task.status.capitalize(),
        "date_created": task.created,
        "date_started": task.started,
        "date_done": task.done,
        "duration_seconds": _between(task.started, task.done),
        "wait_time_seconds": _between(task.created, task.started) if task.done else None,
        "input_data": {"filename": task.file_name, "mime_type": task.mime_type, "overrides": task.overrides},
        "result_data": result,
        "related_document_ids": related,
        "acknowledged": task.acknowledged,
        "owner": task.owner,
    }


def _result_data(task: Task) -> dict[str, Json] | None:
    result = task.result
    if result is None or "document_id" in result:
        return result
    if "duplicate_of" in result:
        return {key: result[key] for key in ("duplicate_of", "duplicate_in_trash")}
    return result | {"traceback": TRACEBACK}


def _between(start: str | None, end: str | None) -> float | None:
    return None if start is None or end is None else (moment(end) - moment(start)).total_seconds()
