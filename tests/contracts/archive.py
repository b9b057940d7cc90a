"""What every archive must do, whichever version of Paperless is behind it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from threading import Barrier
from typing import Any, Protocol
from uuid import uuid4

import pytest

from shared.domain.paperless import FieldIds, LabelKind, Labels, Task, TaskStatus, Upload
from shared.ports import Archive
from tests.stand_ins.papers import letter

KINDS = list(LabelKind)
RACERS = 8


class Keeper(Protocol):
    """Looks and acts behind the archive's back, as an administrator can."""

    def document(self, document_id: int) -> Mapping[str, Any]: ...

    def discard(self, document_id: int) -> None: ...

    def add_label(self, kind: LabelKind, name: str) -> int: ...


def fields_of(archive: Archive) -> FieldIds:
    ids = [archive.ensure_label(LabelKind.CUSTOM_FIELD, name).id for name in ("source", "organisation", "document")]
    return FieldIds(*ids)


def labels_of(archive: Archive, organization: str = "a", document_type: str = "invoice") -> Labels:
    return Labels(
        correspondent=archive.ensure_label(LabelKind.CORRESPONDENT, f"org-{organization}").id,
        document_type=archive.ensure_label(LabelKind.DOCUMENT_TYPE, document_type).id,
        organization_tag=archive.ensure_label(LabelKind.TAG, f"org:{organization}").id,
        type_tag=archive.ensure_label(LabelKind.TAG, f"doc-type:{document_type}").id,
        source_tag=archive.ensure_label(LabelKind.TAG, "source").id,
        fields=fields_of(archive),
    )


def upload_of(labels: Labels, source_uuid: str, content: bytes | None = None) -> Upload:
    values = {labels.fields.source_uuid: source_uuid, labels.fields.organization: "a", labels.fields.document: "d-1"}
    return Upload(
        file_name=f"{uuid4().hex}.pdf",
        content=letter(source_uuid, uuid4().hex) if content is None else content,
        title="Invoice — Firma AS 2026-05-08",
        created=date(2026, 5, 8),
        labels=labels,
        fields=values,
    )


def done(archive: Archive, task_id: str) -> Task:
    task = archive.task(task_id)
    assert task is not None
    assert task.status is TaskStatus.SUCCESS, task
    return task


def stored(archive: Archive, labels: Labels, source_uuid: str) -> int:
    document_id = done(archive, archive.upload(upload_of(labels, source_uuid))).document_id
    assert document_id is not None
    return document_id


class ArchiveContract:
    """A subclass gives two fixtures, `archive` (empty) and `keeper`."""

    def test_it_tells_a_version_that_is_supported(self, archive: Archive) -> None:
        assert archive.version().supported

    def test_an_upload_becomes_a_task_and_the_task_a_document(self, archive: Archive) -> None:
        upload = upload_of(labels_of(archive), "one")

        task_id = archive.upload(upload)

        task = done(archive, task_id)
        assert (task.task_id, task.file_name) == (task_id, upload.file_name)
        assert task.document_id is not None

    def test_a_document_keeps_everything_that_was_sent_with_it(self, archive: Archive, keeper: Keeper) -> None:
        labels = replace(labels_of(archive), source_uuid_tag=archive.ensure_label(LabelKind.TAG, "uuid:one").id)
        upload = upload_of(labels, "one")

        document_id = done(archive, archive.upload(upload)).document_id

        assert document_id is not None
        row = keeper.document(document_id)
        assert sorted(row["tags"]) == sorted(labels.tags)
        assert (row["correspondent"], row["document_type"]) == (labels.correspondent, labels.document_type)
        assert (row["title"], row["created"]) == ("Invoice — Firma AS 2026-05-08", "2026-05-08")
        assert {entry["field"]: entry["value"] for entry in row["custom_fields"]} == upload.fields

    def test_a_document_is_found_by_its_source_uuid_with_all_that_must_be_verified(self, archive: Archive) -> None:
        labels = labels_of(archive)
        upload = upload_of(labels, "one")
        document_id = done(archive, archive.upload(upload)).document_id

        [found] = archive.find("one", labels)

        assert found.id == document_id
        assert found.tags == set(labels.tags)
        assert found.correspondent == labels.correspondent
        assert found.fields == upload.fields
        assert found.checksum in (None, hashlib.sha256(upload.content).hexdigest())

    def test_all_copies_are_found(self, archive: Archive) -> None:
        labels = labels_of(archive)

        ids = {stored(archive, labels, "one") for _ in range(3)}

        assert {document.id for document in archive.find("one", labels)} == ids

    @pytest.mark.parametrize("source_uuid", ["two", "ONE", "on", '"', "one,two"])
    def test_only_exactly_this_source_uuid_is_found(self, archive: Archive, source_uuid: str) -> None:
        labels = labels_of(archive)
        stored(archive, labels, "one")

        assert archive.find(source_uuid, labels) == []

    def test_another_organisations_document_of_the_same_bytes_is_never_found(self, archive: Archive) -> None:
        stored(archive, labels_of(archive, organization="b"), "one")

        assert archive.find("one", labels_of(archive, organization="a")) == []

    def test_another_types_document_of_the_same_bytes_is_never_found(self, archive: Archive) -> None:
        stored(archive, labels_of(archive, document_type="contract"), "one")

        assert archive.find("one", labels_of(archive, document_type="invoice")) == []

    def test_what_lies_in_the_trash_is_not_found(self, archive: Archive, keeper: Keeper) -> None:
        labels = labels_of(archive)
        document_id = stored(archive, labels, "one")

        keeper.discard(document_id)

        assert archive.find("one", labels) == []

    def test_the_canary_counts_whatever_the_server_returns(self, archive: Archive) -> None:
        labels, other = labels_of(archive, organization="a"), labels_of(archive, organization="b")
        stored(archive, labels, "one")
        stored(archive, other, "one")

        counts = [archive.count_unchecked(value, labels.fields.source_uuid) for value in ("one", "two")]

        assert counts == [2, 0]

    def test_a_task_nobody_knows_is_none(self, archive: Archive) -> None:
        assert archive.task(str(uuid4())) is None

    def test_the_open_tasks_are_those_not_yet_acknowledged(self, archive: Archive) -> None:
        labels = labels_of(archive)
        tasks = [done(archive, archive.upload(upload_of(labels, source))) for source in ("one", "two", "three")]

        archive.acknowledge([tasks[0].row_id, tasks[2].row_id])

        assert [task.task_id for task in archive.open_tasks()] == [tasks[1].task_id]

    def test_an_acknowledged_task_is_still_known_by_its_id(self, archive: Archive) -> None:
        task = done(archive, archive.upload(upload_of(labels_of(archive), "one")))

        archive.acknowledge([task.row_id])

        assert archive.task(task.task_id) == task

    def test_the_checksum_is_of_the_original_by_the_versions_algorithm(self, archive: Archive) -> None:
        upload = upload_of(labels_of(archive), "one")
        document_id = done(archive, archive.upload(upload)).document_id
        assert document_id is not None

        checksum = archive.checksum(document_id)

        assert checksum == hashlib.new(archive.version().checksum_algorithm, upload.content).hexdigest()

    def test_a_document_that_is_not_there_has_no_checksum(self, archive: Archive) -> None:
        assert archive.checksum(4711) == ""

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_label_is_read_back_by_its_id(self, archive: Archive, kind: LabelKind) -> None:
        made = archive.ensure_label(kind, "Org: Ærlig & Co, AS")

        assert archive.label(kind, made.id) == made

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_label_that_is_not_there_is_none(self, archive: Archive, kind: LabelKind) -> None:
        assert archive.label(kind, 4711) is None
        assert archive.find_label(kind, "nothing") is None

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_label_is_the_one_of_exactly_this_name(self, archive: Archive, keeper: Keeper, kind: LabelKind) -> None:
        ids = {name: keeper.add_label(kind, name) for name in ("ORG:a", "org:a", "Org:A")}

        found = {name: archive.find_label(kind, name) for name in (*ids, "oRG:a")}

        assert {name: label.id for name, label in found.items() if label} == ids

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_label_is_made_once(self, archive: Archive, kind: LabelKind) -> None:
        labels = [archive.ensure_label(kind, "org:a") for _ in range(2)]

        assert labels[0] == labels[1]
        assert archive.count_labels(kind) == 1

    @pytest.mark.parametrize("kind", KINDS)
    def test_eight_that_want_the_same_new_label_get_one(self, archive: Archive, kind: LabelKind) -> None:
        start = Barrier(RACERS)

        def want(_: int) -> int:
            start.wait()
            return archive.ensure_label(kind, "org:a").id

        with ThreadPoolExecutor(RACERS) as pool:
            ids = set(pool.map(want, range(RACERS)))

        assert len(ids) == 1
        assert archive.count_labels(kind) == 1

    def test_labels_are_counted_by_kind(self, archive: Archive) -> None:
        for name in ("a", "b", "c"):
            archive.ensure_label(LabelKind.TAG, name)

        counts = [archive.count_labels(kind) for kind in (LabelKind.TAG, LabelKind.CORRESPONDENT)]

        assert counts == [3, 0]

    def test_a_documents_address_holds_its_id(self, archive: Archive) -> None:
        assert archive.document_url(17).endswith("/documents/17/")
