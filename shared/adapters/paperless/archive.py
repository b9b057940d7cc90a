"""The Archive port on Paperless's REST API: allow-listed filters only, and every row checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from shared.adapters.paperless.rows import document_of, task_of, version_of
from shared.adapters.paperless.transport import PaperlessSettings, Transport
from shared.domain.paperless import ArchivedDocument, Label, LabelKind, Labels, ServerVersion, Task, Upload
from shared.domain.retry import PaperlessError, misconfigured

PAGE = 100
ROW_FIELDS = "id,tags,correspondent,custom_fields,versions"

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def _understood(ask: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """JSON of another shape is not Paperless speaking: a proxy, or a version we do not know."""

    @wraps(ask)
    def guarded(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return ask(*args, **kwargs)
        except (KeyError, TypeError, ValueError, AttributeError) as exc:
            raise misconfigured(f"{ask.__name__}: an answer of another shape ({type(exc).__name__})") from exc

    return guarded


class PaperlessArchive:
    """What the drain needs of Paperless."""

    def __init__(self, settings: PaperlessSettings, transport: Transport | None = None) -> None:
        self._transport = transport or Transport(settings)
        self._link = settings.public_url or settings.url

    def version(self) -> ServerVersion:
        """Asked each time: a server may be upgraded while we live, and its checksums change with that."""
        self._transport.get("/api/tags/", {"page_size": 1})
        return version_of(self._transport.announced)

    @_understood
    def find(self, source_uuid: str, labels: Labels) -> list[ArchivedDocument]:
        tags = (labels.organization_tag, labels.type_tag)
        query = _exactly(source_uuid, labels.fields.source_uuid)
        query["tags__id__all"] = ",".join(str(tag) for tag in tags)
        found = [document_of(row) for row in self._pages("/api/documents/", {**query, "fields": ROW_FIELDS})]
        for document in found:
            if not document.tags.issuperset(tags) or document.fields.get(labels.fields.source_uuid) != source_uuid:
                raise misconfigured(f"document {document.id} does not match the lookup that returned it")
        return found

    @_understood
    def count_unchecked(self, source_uuid: str, source_field: int) -> int:
        answer = self._transport.get(
            "/api/documents/", {**_exactly(source_uuid, source_field), "page_size": 1, "fields": "id"}
        )
        return int(answer["count"])

    def upload(self, upload: Upload) -> str:
        fields = {
            "title": upload.title,
            "created": upload.created.isoformat(),
            "correspondent": str(upload.labels.correspondent),
            "document_type": str(upload.labels.document_type),
            # A part per tag: a JSON array is refused, and `tags[]` is ignored with a 200.
            "tags": [str(tag) for tag in upload.labels.tags],
            # An object of ids and texts: a list of pairs is refused, a number for a text field is a 500.
            "custom_fields": json.dumps({str(field): value for field, value in upload.fields.items()}),
        }
        task_id = self._transport.upload("/api/documents/post_document/", fields, upload.file_name, upload.content)
        if not isinstance(task_id, str):
            raise misconfigured(f"post_document answered {task_id!r:.100} instead of a task id")
        return task_id

    @_understood
    def task(self, task_id: str) -> Task | None:
        return next((task for task in self._tasks({"task_id": task_id}) if task.task_id == task_id), None)

    @_understood
    def open_tasks(self) -> list[Task]:
        return self._tasks({"acknowledged": "false"})

    def acknowledge(self, row_ids: Iterable[int]) -> None:
        self._transport.post("/api/tasks/acknowledge/", {"tasks": list(row_ids)})

    @_understood
    def checksum(self, document_id: int) -> str:
        answer = self._get_or_none(f"/api/documents/{document_id}/metadata/")
        return "" if answer is None else str(answer["original_checksum"])

    @_understood
    def label(self, kind: LabelKind, label_id: int) -> Label | None:
        row = self._get_or_none(f"/api/{kind}/{label_id}/")
        return None if row is None else Label(kind, int(row["id"]), str(row["name"]))

    @_understood
    def find_label(self, kind: LabelKind, name: str) -> Label | None:
        """The lookup ignores case and may return several; ours is the one of exactly this name."""
        rows = self._pages(f"/api/{kind}/", {"name__iexact": name})
        ids = sorted(int(row["id"]) for row in rows if row["name"] == name)
        return Label(kind, ids[0], name) if ids else None

    @_understood
    def ensure_label(self, kind: LabelKind, name: str) -> Label:
        found = self.find_label(kind, name)
        if found is not None:
            return found
        try:
            row = self._transport.post(f"/api/{kind}/", _new_label(kind, name))
        except PaperlessError as exc:
            # Losers of a race get 400 or 500 alike; either way it may be there now.
            found = self.find_label(kind, name) if exc.fault.status == 400 or exc.fault.status >= 500 else None
            if found is None:
                raise
            return found
        return Label(kind, int(row["id"]), str(row["name"]))

    @_understood
    def count_labels(self, kind: LabelKind) -> int:
        return int(self._transport.get(f"/api/{kind}/", {"page_size": 1})["count"])

    def document_url(self, document_id: int) -> str:
        return f"{self._link}/documents/{document_id}/"

    def close(self) -> None:
        self._transport.close()

    def _tasks(self, params: Mapping[str, str]) -> list[Task]:
        rows = self._transport.get("/api/tasks/", params)
        if not isinstance(rows, list):
            raise TypeError("tasks come as a bare list in version 9")
        return [task_of(row) for row in rows]

    def _get_or_none(self, path: str) -> Any:
        try:
            return self._transport.get(path)
        except PaperlessError as exc:
            if exc.fault.status == 404 and exc.fault.is_json:
                return None
            raise

    def _pages(self, path: str, params: Mapping[str, str | int]) -> Iterator[Mapping[str, Any]]:
        page = 1
        while True:
            answer = self._transport.get(path, {**params, "page_size": PAGE, "page": page})
            yield from answer["results"]
            if answer["next"] is None:
                return
            page += 1


def _exactly(value: str, field: int) -> dict[str, str | int]:
    """The one exact lookup of a custom field's value; an empty one would return the whole archive."""
    if not value or field <= 0:
        raise misconfigured("a lookup without a value")
    return {"custom_field_query": json.dumps([field, "exact", value])}


def _new_label(kind: LabelKind, name: str) -> dict[str, object]:
    """Un-owned, so that every user sees it and its name is unique; matching off, so that it is never guessed."""
    if kind is LabelKind.CUSTOM_FIELD:
        return {"name": name, "data_type": "string"}
    return {"name": name, "owner": None, "matching_algorithm": 0, "match": "", "is_insensitive": False}
