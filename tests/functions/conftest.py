"""The parts that functions are tried on: database, buckets, Paperless, and the variables that name them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from scripts.local.databases import PostgresAccess
from scripts.local.seaweedfs import S3Access
from shared.adapters import ed25519
from shared.adapters.ed25519 import Ed25519Signer, SigningSettings
from tests.conftest import TEMPLATE
from tests.functions.hosting import loaded
from tests.functions.sending import KEY
from tests.stand_ins.paperless.clocks import SystemClock
from tests.stand_ins.paperless.http_server import HttpServer
from tests.stand_ins.paperless.options import Account, Options, ServerVersion
from tests.stand_ins.paperless.server import Paperless

if TYPE_CHECKING:
    from flask.testing import FlaskClient
    from mypy_boto3_s3 import S3Client

TOKEN = "paperless-token"


@dataclass(frozen=True, slots=True)
class Site:
    """Where everything is, as the functions are told."""

    env: dict[str, str]
    queue: str
    dead_letters: str
    s3: S3Client

    def queued(self, prefix: str = "") -> list[str]:
        """The keys in the queue's bucket."""
        listed = self.s3.list_objects_v2(Bucket=self.queue, Prefix=prefix)
        return [entry["Key"] for entry in listed.get("Contents", ())]

    @property
    def public_keys(self) -> dict[str, str]:
        """Those that receipts are checked with."""
        keys: dict[str, str] = json.loads(self.env["RECEIPT_PUBLIC_KEYS"])
        return keys


@contextmanager
def new_site(postgres: PostgresAccess, s3: S3Access, client: S3Client, version: ServerVersion) -> Iterator[Site]:
    """An empty site with parts of its own on the servers of this test run."""
    name = uuid.uuid4().hex
    buckets = f"queue-{name}", f"dlq-{name}"
    for bucket in buckets:
        client.create_bucket(Bucket=bucket)
    database = postgres.create_database(f"test_{name}", template=TEMPLATE)
    with _paperless(version) as paperless:
        yield Site(_environment(s3, *buckets, database, paperless), *buckets, client)
    for bucket in buckets:
        client.delete_bucket(Bucket=bucket)
    postgres.drop_database(f"test_{name}")


def _environment(s3: S3Access, queue: str, dead_letters: str, database: str, paperless: str) -> dict[str, str]:
    seed = ed25519.generate()
    signer = Ed25519Signer(SigningSettings.from_env({"RECEIPT_SIGNING_KEY": seed}))
    return {
        "AWS_S3_ENDPOINT": s3.endpoint,
        "AWS_ACCESS_KEY_ID": s3.access_key,
        "AWS_SECRET_ACCESS_KEY": s3.secret_key,
        "AWS_S3_ARCHIVE_BUCKET": queue,
        "AWS_S3_DLQ_BUCKET": dead_letters,
        "DATABASE_URL": database,
        "PAPERLESS_URL": paperless,
        "PAPERLESS_API_TOKEN": TOKEN,
        "INTERNAL_API_KEY": KEY,
        "RECEIPT_SIGNING_KEY": seed,
        "RECEIPT_PUBLIC_KEYS": json.dumps(signer.public_keys()),
    }


@contextmanager
def _paperless(version: ServerVersion) -> Iterator[str]:
    options = Options(version, (Account("archivist", TOKEN, "superuser"),), tag_cost=False)
    with closing(Paperless(options, SystemClock())) as stand_in:
        server = HttpServer(stand_in)
        server.start()
        yield server.url
        server.stop()


@pytest.fixture(scope="session")
def site(postgres: PostgresAccess, s3: S3Access, s3_client: S3Client) -> Iterator[Site]:
    with new_site(postgres, s3, s3_client, "3.0.5") as found:
        yield found


@pytest.fixture(scope="module")
def archive_write(site: Site) -> Iterator[FlaskClient]:
    with loaded("archive-write", site.env) as app:
        yield app.test_client()
