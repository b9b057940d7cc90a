"""Everything the server knows, in memory with indexes, each change written to the journal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from tests.stand_ins.paperless.catalogue import Catalogue
from tests.stand_ins.paperless.journal import Journal
from tests.stand_ins.paperless.records import CustomField, Document, Label, Row, Task, from_json, kind_of, to_json
from tests.stand_ins.paperless.text import fold

LABEL_KINDS = ("tag", "correspondent", "document_type")
_SEQUENCES = (*LABEL_KINDS, "custom_field", "document", "task", "user")


class Archive:
    """The tables. Rows change only inside `changing`, which keeps indexes and journal in step."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._sequences: dict[str, int] = {}
        self._names: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        self._task_ids: dict[str, int] = {}
        self._users: dict[str, int] = {}
        self.labels: dict[str, dict[int, Label]] = {kind: {} for kind in LABEL_KINDS}
        self.custom_fields: dict[int, CustomField] = {}
        self.documents: dict[int, Document] = {}
        self.tasks: dict[int, Task] = {}
        self.catalogue = Catalogue()
        self.server_version = ""
        for kind, number, values in journal.load():
            if kind == "sequence":
                self._sequences[values["of"]] = values["last"]
            elif kind == "server":
                self.server_version = values["version"]
            elif kind == "user":
                self._users[values["name"]] = number
            else:
                self._keep(from_json(kind, values))

    def commit(self) -> None:
        self._journal.commit()

    def close(self) -> None:
        self._journal.close()

    def note_version(self, version: str) -> None:
        self.server_version = version
        self._journal.save("server", 0, {"version": version})

    def user_id(self, name: str) -> int:
        if name not in self._users:
            self._users[name] = self.next_id("user")
            self._journal.save("user", self._users[name], {"name": name})
        return self._users[name]

    def next_id(self, kind: str) -> int:
        """Ids are never given twice, not even after a restart."""
        self._sequences[kind] = number = self._sequences.get(kind, 0) + 1
        self._journal.save("sequence", _SEQUENCES.index(kind), {"of": kind, "last": number})
        return number

    def named(self, kind: str, name: str) -> set[int]:
        """Labels or fields of this name, whatever its case."""
        return self._names.get((kind, fold(name))) or set()

    def task(self, task_id: str) -> Task | None:
        number = self._task_ids.get(task_id)
        return None if number is None else self.tasks[number]

    def add(self, row: Row) -> None:
        self._keep(row)
        self._journal.save(kind_of(row), row.id, to_json(row))

    def remove(self, row: Row) -> None:
        self._unindex(row)
        self._table(row).pop(row.id)
        self._journal.drop(kind_of(row), row.id)

    @contextmanager
    def changing(self, row: Row) -> Iterator[None]:
        self._unindex(row)
        try:
            yield
        finally:
            self._index(row)
            self._journal.save(kind_of(row), row.id, to_json(row))

    def _keep(self, row: Row) -> None:
        if isinstance(row, Document):
            self.documents[row.id] = row
        elif isinstance(row, Task):
            self.tasks[row.id] = row
        elif isinstance(row, Label):
            self.labels[row.kind][row.id] = row
        else:
            self.custom_fields[row.id] = row
        self._index(row)

    def _table(self, row: Row) -> dict[int, Document] | dict[int, Task] | dict[int, Label] | dict[int, CustomField]:
        if isinstance(row, Document):
            return self.documents
        if isinstance(row, Task):
            return self.tasks
        return self.labels[row.kind] if isinstance(row, Label) else self.custom_fields

    def _index(self, row: Row) -> None:
        if isinstance(row, Document):
            self.catalogue.add(row)
        elif isinstance(row, Task):
            self._task_ids[row.task_id] = row.id
        else:
            self._names[kind_of(row), fold(row.name)].add(row.id)

    def _unindex(self, row: Row) -> None:
        if isinstance(row, Document):
            self.catalogue.remove(row)
        elif isinstance(row, Task):
            self._task_ids.pop(row.task_id)
        else:
            self._names[kind_of(row), fold(row.name)].discard(row.id)
