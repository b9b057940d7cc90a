"""The embedded S3 server: with the objects of the last time, and for the holder of the key only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from scripts.local import seaweedfs
from scripts.local.errors import CannotStartError
from scripts.local.seaweedfs import SeaweedFS
from tests.local.servers import started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("seaweedfs")


@pytest.fixture
def server(folder: Path) -> Iterator[SeaweedFS]:
    with started(seaweedfs.launch(folder)) as server:
        server.create_buckets("words")
        yield server


def sockets(server: SeaweedFS) -> list[Path]:
    return [path for port in server.ports.values() for path in seaweedfs.SOCKETS.glob(f"seaweedfs-*{port}.sock")]


def test_a_stop_and_a_restart_keep_the_objects(server: SeaweedFS, folder: Path) -> None:
    server.access.client().put_object(Bucket="words", Key="stopped", Body=b"kept")
    server.stop()

    assert sockets(server) == []
    with started(seaweedfs.launch(folder)) as again:
        again.create_buckets("new-words")
        again.access.client().put_object(Bucket="new-words", Key="stopped", Body=b"new")
        assert again.access.client().get_object(Bucket="words", Key="stopped")["Body"].read() == b"kept"


def test_kill_9_keeps_the_objects_and_the_next_start_clears_the_sockets_left_behind(
    server: SeaweedFS, folder: Path
) -> None:
    server.access.client().put_object(Bucket="words", Key="killed", Body=b"kept")
    server.child.kill()
    left_behind = sockets(server)

    with started(seaweedfs.launch(folder)) as again:
        assert again.ports == server.ports
        assert again.access.client().get_object(Bucket="words", Key="killed")["Body"].read() == b"kept"
    assert left_behind
    assert sockets(server) == []


def test_making_a_bucket_that_is_there_keeps_what_is_in_it(server: SeaweedFS) -> None:
    server.access.client().put_object(Bucket="words", Key="again", Body=b"kept")

    server.create_buckets("words")

    assert server.access.client().head_object(Bucket="words", Key="again")["ContentLength"] == 4


def test_a_wrong_secret_is_refused(server: SeaweedFS) -> None:
    wrong = replace(server.access, secret_key="wrong")

    with pytest.raises(ClientError, match="SignatureDoesNotMatch"):
        wrong.client().list_buckets()


def test_a_damaged_data_folder_is_a_sentence_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "filerldb2").write_text("not a folder")

    with pytest.raises(CannotStartError, match=r"(?s)SeaweedFS.*may be damaged.*move that folder away and start again"):
        seaweedfs.launch(tmp_path).wait_ready(seconds=10)
