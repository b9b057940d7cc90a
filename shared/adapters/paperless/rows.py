"""Rows of Paperless's JSON as values of ours; the two versions differ in small ways."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from shared.domain.paperless import ArchivedDocument, ServerVersion, Task, TaskStatus
from shared.domain.retry import misconfigured


def version_of(announced: str | None) -> ServerVersion:
    match = re.match(r"(\d+)\.(\d+)", announced or "")
    if match is None:
        raise misconfigured("its answers carry no X-Version header")
    return ServerVersion(int(match[1]), int(match[2]))


def document_of(row: Mapping[str, Any]) -> ArchivedDocument:
    return ArchivedDocument(
        id=int(row["id"]),
        tags=frozenset(row["tags"]),
        correspondent=row["correspondent"],
        fields={entry["field"]: entry["value"] for entry in row["custom_fields"]},
        checksum=_checksum(row.get("versions") or []),
    )


def task_of(row: Mapping[str, Any]) -> Task:
    """`related_document` is a number in 3.x, a text in 2.x, and names somebody else's document after a duplicate."""
    status, related = str(row["status"]), row.get("related_document")
    return Task(
        row_id=int(row["id"]),
        task_id=str(row["task_id"]),
        file_name=str(row.get("task_file_name") or ""),
        status=TaskStatus(status) if status in TaskStatus.__members__ else TaskStatus.OTHER,
        result=str(row.get("result") or ""),
        document_id=int(related) if related is not None and str(related).isdecimal() else None,
    )


def _checksum(versions: list[Mapping[str, Any]]) -> str | None:
    roots = [version["checksum"] for version in versions if version.get("is_root")]
    return str(roots[0]) if roots else None
