"""The shared fixtures give each test something fresh."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
import pytest

from scripts.local.databases import PostgresAccess
from tests.stand_ins.paperless.http_server import HttpServer
from tests.stand_ins.paperless.options import Account, Options, ServerVersion

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_has_a_database_without_the_tables_of_another(
    postgres: PostgresAccess, database: str, turn: int
) -> None:
    with postgres.connection(urlsplit(database).path[1:]) as connection:
        connection.run("CREATE TABLE left_behind (turn integer)")
        connection.run("INSERT INTO left_behind VALUES (:turn)", turn=turn)

        assert connection.run("SELECT turn FROM left_behind") == [[turn]]


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_has_an_empty_bucket(s3_client: S3Client, bucket: str, turn: int) -> None:
    assert s3_client.list_objects_v2(Bucket=bucket)["KeyCount"] == 0

    s3_client.put_object(Bucket=bucket, Key="left-behind", Body=str(turn).encode())

    assert s3_client.get_object(Bucket=bucket, Key="left-behind")["Body"].read() == str(turn).encode()


def test_the_storage_emulator_answers_on_loopback(gcs: str) -> None:
    assert httpx.get(f"{gcs}/storage/v1/b?project=test", timeout=5).status_code == 200


@pytest.mark.parametrize("version", ["3.0.5", "2.20.15"])
def test_a_stand_in_of_either_version_answers_its_user(
    paperless: Callable[[Options], HttpServer], version: ServerVersion
) -> None:
    server = paperless(Options(server_version=version, users=(Account("someone", "the-token", "superuser"),)))

    answer = httpx.get(f"{server.url}/api/documents/", headers={"Authorization": "Token the-token"}, timeout=5)

    assert answer.json()["count"] == 0
