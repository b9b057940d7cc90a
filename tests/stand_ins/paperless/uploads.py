"""POST /api/documents/post_document/: what is accepted becomes a task, not yet a document."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from tests.stand_ins.paperless import custom_values, forms, multipart, sniffing
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.checksums import checksum
from tests.stand_ins.paperless.clocks import stamp
from tests.stand_ins.paperless.form import BLANK, Form, Wrong
from tests.stand_ins.paperless.messages import Response, crash, detail, insufficient_permissions, json_response
from tests.stand_ins.paperless.multipart import Part
from tests.stand_ins.paperless.records import Json, Task

# How long a server without its queue takes to give up.
QUEUE_TIMEOUT = {True: 19.0, False: 0.6}
_NO_SUCH_SHAPE = "Custom fields must be a list of integers or an object mapping ids to values."


@dataclass(frozen=True, slots=True)
class Upload:
    """A file and what was said about it, checked."""

    name: str
    content: bytes
    media_type: str
    overrides: dict[str, Json]


def post_document(call: Call) -> Response:
    if not call.user.may("add_document"):
        raise insufficient_permissions()
    if call.request.media_type != "multipart/form-data":
        shown = call.request.headers.get("content-type", "")
        raise detail(f'Unsupported media type "{shown}" in request.', 415)
    upload = _read(call, multipart.parse(call.request))
    without_queue = call.world.faults.take("redis_down")
    if without_queue is None:
        return json_response(_queue(call, upload).task_id)
    if not call.world.is_v3:
        _record(call, upload)
    delay = without_queue.seconds
    call.world.pause(QUEUE_TIMEOUT[call.world.is_v3] if delay is None else delay)
    raise crash()


def _queue(call: Call, upload: Upload) -> Task:
    task = _record(call, upload)
    call.world.crew.post(task.id, call.world.clock.now())
    return task


def _record(call: Call, upload: Upload) -> Task:
    world = call.world
    task_id = world.new_uuid()
    scratch = f"scratch/{task_id}"
    world.files.put(scratch, upload.content)
    task = Task(
        id=world.archive.next_id("task"),
        task_id=task_id,
        file_name=upload.name,
        mime_type=upload.media_type,
        owner=call.user.id,
        created=stamp(world.clock.now()),
        overrides=upload.overrides,
        checksum=checksum(upload.content, is_v3=world.is_v3),
        scratch=scratch,
        abandoned=world.faults.has("redis_down"),
    )
    world.archive.add(task)
    return task


def _read(call: Call, parts: list[Part]) -> Upload:
    """A repeated part keeps its last value, except for tags, which add up."""
    texts = {part.name: part.content.decode("utf-8", "replace") for part in parts if part.file_name is None}
    tags = [part.content.decode("utf-8", "replace") for part in parts if part.name == "tags" and part.file_name is None]
    form = Form({name: value for name, value in texts.items() if name != "tags"} | {"tags": tags})
    form.values["document"] = next((part for part in reversed(parts) if part.name == "document"), None)
    labels = call.archive.labels
    form.read("created", forms.day_of_moment)
    form.read("document", _document)
    form.read("title", _unless_empty(_title))
    form.read("correspondent", forms.key_of(labels["correspondent"], null=True))
    form.read("document_type", forms.key_of(labels["document_type"], null=True))
    form.read("storage_path", forms.key_of((), null=True))
    form.read("tags", forms.keys_of(labels["tag"]))
    form.read("archive_serial_number", _unless_empty(forms.serial_number))
    form.read("custom_fields", lambda value: _custom_fields(call, value))
    form.read("from_webui", _unless_empty(forms.boolean))
    form.refuse_if_wrong()
    name, content, media_type = form.clean.pop("document")
    return Upload(name, content, media_type, _overrides(call, name, form.clean))


def _overrides(call: Call, name: str, clean: dict[str, Json]) -> dict[str, Json]:
    values = {
        "filename": name,
        "title": clean.get("title"),
        "correspondent_id": clean.get("correspondent"),
        "document_type_id": clean.get("document_type"),
        "tag_ids": clean["tags"] or None,
        "created": clean.get("created"),
        "asn": clean.get("archive_serial_number"),
        "owner_id": call.user.id,
        "custom_fields": clean.get("custom_fields"),
    }
    return {key: value for key, value in values.items() if value is not None}


def _unless_empty(check: Callable[[Json], Json]) -> Callable[[Json], Json]:
    """In a form, an empty part that is not required counts as left out."""
    return lambda value: None if value == "" else check(value)


def _title(value: Json) -> str:
    title = str(value).strip()
    if not title:
        raise Wrong(BLANK)
    return title


def _document(part: Part | None) -> tuple[str, bytes, str]:
    if part is None:
        raise Wrong("No file was submitted.")
    if part.file_name is None:
        raise Wrong("The submitted data was not a file. Check the encoding type on the form.")
    if not part.content:
        raise Wrong("The submitted file is empty.")
    media_type = sniffing.media_type(part.content)
    hopeful = media_type == sniffing.UNKNOWN and part.file_name.endswith(".pdf")
    if media_type not in sniffing.SUPPORTED and not hopeful:
        raise Wrong(f"File type {media_type} not supported")
    return unicodedata.normalize("NFC", part.file_name), part.content, media_type


def _custom_fields(call: Call, text: str) -> dict[str, Json] | None:
    """Ids as text, since that is what JSON makes of them."""
    try:
        value = json.loads(text)
    except ValueError:
        raise Wrong("Value must be valid JSON.") from None
    if not value:
        return None
    if isinstance(value, dict):
        return {str(_field(call, key, entry)): entry for key, entry in value.items()}
    if isinstance(value, int):
        value = [value]
    if not isinstance(value, list):
        raise Wrong(_NO_SUCH_SHAPE)
    return dict.fromkeys(map(str, _known_ids(call, value)))


def _field(call: Call, key: str, value: Json) -> int:
    try:
        number = int(key)
    except ValueError:
        raise Wrong(f"Custom field id must be an integer: {key}") from None
    field = call.archive.custom_fields.get(number)
    if field is None:
        raise Wrong(f"Custom field with id {number} does not exist")
    custom_values.check(call, field, value)
    return number


def _known_ids(call: Call, values: list[Json]) -> list[int]:
    try:
        numbers = [int(value) for value in values]
    except (TypeError, ValueError):
        raise Wrong(_NO_SUCH_SHAPE) from None
    if not set(numbers) <= call.archive.custom_fields.keys():
        raise Wrong("Some custom fields don't exist or were specified twice.")
    return numbers
