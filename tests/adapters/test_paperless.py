"""The archive on Paperless keeps the contract in both versions, over real HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

import httpx
import pytest

from shared.adapters.paperless.transport import PaperlessSettings
from shared.domain.errors import ConfigError
from shared.domain.paperless import LabelKind, ServerVersion
from shared.domain.retry import ErrorClass, PaperlessError
from shared.ports import Archive
from tests.adapters.conftest import ADMIN, MEMBER
from tests.adapters.loopback import answer, in_turn, loopback
from tests.contracts.archive import ArchiveContract, done, labels_of, stored, upload_of
from tests.stand_ins.paperless.http_server import HttpServer
from tests.stand_ins.paperless.options import VERSIONS, Options
from tests.stand_ins.paperless.options import ServerVersion as ServerName
from tests.stand_ins.papers import letter

Start = Callable[[Options], HttpServer]
Connect = Callable[..., Archive]

REQUIRED = {"PAPERLESS_URL": "http://127.0.0.1:1", "PAPERLESS_API_TOKEN": "a-token"}


class Administrator:
    """A keeper by the same API, with the rights of a superuser."""

    def __init__(self, url: str) -> None:
        headers = {"Authorization": f"Token {ADMIN.token}", "Accept": "application/json; version=9"}
        self._client = httpx.Client(base_url=url, headers=headers, timeout=10)

    def document(self, document_id: int) -> Mapping[str, Any]:
        row: Mapping[str, Any] = self._client.get(f"/api/documents/{document_id}/").raise_for_status().json()
        return row

    def discard(self, document_id: int) -> None:
        self._client.delete(f"/api/documents/{document_id}/").raise_for_status()

    def add_label(self, kind: LabelKind, name: str) -> int:
        more = {"data_type": "string"} if kind is LabelKind.CUSTOM_FIELD else {"owner": None}
        made = self._client.post(f"/api/{kind}/", json={"name": name, **more}).raise_for_status()
        return int(made.json()["id"])

    def label(self, kind: LabelKind, label_id: int) -> Mapping[str, Any]:
        row: Mapping[str, Any] = self._client.get(f"/api/{kind}/{label_id}/").raise_for_status().json()
        return row

    def change(self, document_id: int, **fields: object) -> None:
        self._client.patch(f"/api/documents/{document_id}/", json=fields).raise_for_status()

    def close(self) -> None:
        self._client.close()


@pytest.fixture(params=VERSIONS)
def server(paperless: Start, request: pytest.FixtureRequest) -> HttpServer:
    return paperless(Options(request.param, (ADMIN, MEMBER), tag_cost=False))


@pytest.fixture
def archive(server: HttpServer, connect: Connect) -> Archive:
    return connect(server.url)


@pytest.fixture
def keeper(server: HttpServer) -> Iterator[Administrator]:
    with closing(Administrator(server.url)) as administrator:
        yield administrator


class TestPaperlessArchive(ArchiveContract):
    """With a superuser's token, in each version."""


@pytest.mark.parametrize(
    ("name", "expected"), [("3.0.5", (3, 0, "sha256")), ("2.20.15", (2, 20, "md5"))], ids=["3", "2"]
)
def test_each_version_tells_its_number_and_its_algorithm(
    paperless: Start, connect: Connect, name: ServerName, expected: tuple[int, int, str]
) -> None:
    version = connect(paperless(Options(name, (ADMIN,))).url).version()

    assert (version.major, version.minor, version.checksum_algorithm) == expected


def test_a_label_is_made_without_an_owner_and_without_matching(archive: Archive, keeper: Administrator) -> None:
    label = archive.ensure_label(LabelKind.TAG, "org:a")

    row = keeper.label(LabelKind.TAG, label.id)

    assert (row["owner"], row["matching_algorithm"], row["match"]) == (None, 0, "")


def test_tags_that_somebody_added_do_not_hide_a_document(archive: Archive, keeper: Administrator) -> None:
    labels = labels_of(archive)
    document_id = stored(archive, labels, "one")
    inbox = keeper.add_label(LabelKind.TAG, "inbox")
    keeper.change(document_id, tags=[*labels.tags, inbox])

    [found] = archive.find("one", labels)

    assert found.tags == {*labels.tags, inbox}


def test_more_hits_than_a_page_holds_are_all_found(archive: Archive) -> None:
    labels = labels_of(archive)
    if archive.version().major == 2:  # which refuses equal bytes, not equal fields
        contents = [letter("one", str(number)) for number in range(101)]
    else:
        contents = [letter("one")] * 101
    for content in contents:
        archive.upload(upload_of(labels, "one", content))

    assert len(archive.find("one", labels)) == 101


def test_equal_bytes_are_another_document_in_3_and_a_failed_task_in_2(archive: Archive) -> None:
    labels = labels_of(archive)
    first = done(archive, archive.upload(upload_of(labels, "one", letter("same"))))

    second = archive.task(archive.upload(upload_of(labels, "one", letter("same"))))

    assert second is not None
    if archive.version().major == 3:
        assert second.status == "SUCCESS"
        assert second.document_id != first.document_id
    else:
        assert second.status == "FAILURE"


def test_a_user_with_few_rights_can_deliver_but_not_acknowledge(server: HttpServer, connect: Connect) -> None:
    archive = connect(server.url, PAPERLESS_API_TOKEN=MEMBER.token)
    task = done(archive, archive.upload(upload_of(labels_of(archive), "one")))

    with pytest.raises(PaperlessError) as refused:
        archive.acknowledge([task.row_id])

    assert refused.value.error_class is ErrorClass.CONFIG
    assert [document.id for document in archive.find("one", labels_of(archive))] == [task.document_id]


@pytest.mark.parametrize("label", ["organization_tag", "correspondent", "document_type"])
def test_an_unknown_label_of_an_upload_is_a_matter_of_configuration(archive: Archive, label: str) -> None:
    unknown: dict[str, Any] = {label: 4711}
    labels = replace(labels_of(archive), **unknown)

    with pytest.raises(PaperlessError) as refused:
        archive.upload(upload_of(labels, "one"))

    assert refused.value.error_class is ErrorClass.CONFIG


def test_an_unknown_custom_field_of_an_upload_is_a_matter_of_configuration(archive: Archive) -> None:
    upload = upload_of(labels_of(archive), "one")

    with pytest.raises(PaperlessError) as refused:
        archive.upload(replace(upload, fields={4711: "one"}))

    assert refused.value.error_class is ErrorClass.CONFIG


def test_an_upload_that_is_empty_is_the_documents_own_fault(archive: Archive) -> None:
    with pytest.raises(PaperlessError) as refused:
        archive.upload(upload_of(labels_of(archive), "one", b""))

    assert refused.value.error_class is ErrorClass.DOCUMENT


@pytest.mark.parametrize(("value", "field"), [("", 1), ("one", 0)])
def test_a_lookup_that_would_return_everything_is_never_sent(connect: Connect, value: str, field: int) -> None:
    with loopback(in_turn()) as server, pytest.raises(PaperlessError) as refused:
        connect(server.url).count_unchecked(value, field)

    assert refused.value.error_class is ErrorClass.CONFIG
    assert server.requests == []


def test_a_server_that_ignores_the_filters_is_caught_by_the_row_check(archive: Archive, connect: Connect) -> None:
    labels = labels_of(archive)
    row = b'{"id":7,"tags":[99],"correspondent":null,"custom_fields":[]}'
    body = b'{"count":1,"next":null,"previous":null,"results":[' + row + b"]}"

    with (
        loopback(lambda _: answer(200, body, Content_Type="application/json")) as server,
        pytest.raises(PaperlessError, match="document 7 does not match") as refused,
    ):
        connect(server.url).find("one", labels)

    assert refused.value.error_class is ErrorClass.CONFIG


def test_the_version_is_asked_anew_because_a_server_may_be_upgraded(connect: Connect) -> None:
    answers = [
        answer(200, b"{}", Content_Type="application/json", X_Version=version) for version in ("2.20.15", "3.0.5")
    ]

    with loopback(in_turn(*answers)) as server:
        archive = connect(server.url)

        assert [archive.version(), archive.version()] == [ServerVersion(2, 20), ServerVersion(3, 0)]


def test_a_server_that_does_not_name_its_version_is_refused(connect: Connect) -> None:
    with (
        loopback(in_turn(answer(200, b"{}", Content_Type="application/json"))) as server,
        pytest.raises(PaperlessError, match="X-Version") as refused,
    ):
        connect(server.url).version()

    assert refused.value.error_class is ErrorClass.CONFIG


def test_links_use_the_public_address_if_there_is_one(connect: Connect) -> None:
    archive = connect("http://127.0.0.1:1/", PAPERLESS_PUBLIC_URL="https://archive.example/")

    assert archive.document_url(17) == "https://archive.example/documents/17/"


@pytest.mark.parametrize("url", ["archive.example", "ftp://archive.example", "https://"])
def test_an_address_that_is_none_is_refused_by_name(url: str) -> None:
    with pytest.raises(ConfigError, match="PAPERLESS_URL is wrong"):
        PaperlessSettings.from_env({**REQUIRED, "PAPERLESS_URL": url})
