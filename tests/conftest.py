"""What tests share: real servers, started once for the whole run, and a fresh database or bucket for each test."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import pytest

from scripts.local import gcs as gcs_server
from scripts.local import postgres as postgres_server
from scripts.local import seaweedfs
from scripts.local.databases import PostgresAccess
from scripts.local.seaweedfs import S3Access
from scripts.local.sharing import Facts, shared
from shared.adapters.postgres.migrations import migrate
from tests.stand_ins.paperless.clocks import SystemClock
from tests.stand_ins.paperless.http_server import HttpServer
from tests.stand_ins.paperless.options import Options
from tests.stand_ins.paperless.server import Paperless

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

OUR_VARIABLES = ("AWS_", "CF_ACCESS_", "DATABASE_", "GOOGLE_", "INTERNAL_API_", "PAPERLESS_", "STORAGE_EMULATOR_")
KEPT = ("PAPERLESS_CONFORMANCE",)
TEMPLATE = "template_archivolt"


class Server(Protocol):
    """Something the local stack launched."""

    def wait_ready(self) -> float: ...
    def stop(self) -> None: ...


S = TypeVar("S", bound=Server)


def pytest_configure() -> None:
    for name in [name for name in os.environ if name.startswith(OUR_VARIABLES) and name not in KEPT]:
        del os.environ[name]
    os.environ["NO_PROXY"] = "127.0.0.1,localhost"


@contextmanager
def ready(parent: Path, launch: Callable[[Path], S]) -> Iterator[S]:
    """A server in a folder of its own, ready; at the end both are gone."""
    folder = parent / f"server-{uuid.uuid4().hex[:8]}"
    folder.mkdir()
    server = launch(folder)
    try:
        server.wait_ready()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def session_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that every process of this test run sees."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def postgres(session_folder: Path) -> Iterator[PostgresAccess]:
    """The PostgreSQL cluster of this test run, with a migrated template in it."""

    @contextmanager
    def start() -> Iterator[Facts]:
        with ready(session_folder, lambda folder: postgres_server.launch(folder, durable=False)) as server:
            migrate(server.access.create_database(TEMPLATE))
            yield {"port": str(server.access.port), "password": server.access.password}

    with shared(session_folder, "postgres", start) as facts:
        yield PostgresAccess(int(facts["port"]), facts["password"])


@pytest.fixture
def database(postgres: PostgresAccess) -> Iterator[str]:
    """The address of a fresh, migrated database."""
    name = f"test_{uuid.uuid4().hex}"
    yield postgres.create_database(name, template=TEMPLATE)
    postgres.drop_database(name)


@pytest.fixture(scope="session")
def s3(session_folder: Path) -> Iterator[S3Access]:
    """The S3 server of this test run."""

    @contextmanager
    def start() -> Iterator[Facts]:
        with ready(session_folder, seaweedfs.launch) as server:
            yield {"endpoint": server.access.endpoint, "secret_key": server.access.secret_key}

    with shared(session_folder, "seaweedfs", start) as facts:
        yield S3Access(facts["endpoint"], seaweedfs.ACCESS_KEY, facts["secret_key"])


@pytest.fixture(scope="session")
def s3_client(s3: S3Access) -> Iterator[S3Client]:
    """A plain client of that server, to look and to write behind an adapter's back."""
    client = s3.client()
    yield client
    client.close()


@pytest.fixture
def bucket(s3_client: S3Client) -> Iterator[str]:
    """The name of a fresh bucket."""
    name = f"test-{uuid.uuid4().hex}"
    s3_client.create_bucket(Bucket=name)
    yield name
    s3_client.delete_bucket(Bucket=name)  # with what is in it: this server allows that


@pytest.fixture(scope="session")
def gcs(session_folder: Path) -> Iterator[str]:
    """The address of the Google Cloud Storage emulator of this test run."""

    @contextmanager
    def start() -> Iterator[Facts]:
        with ready(session_folder, gcs_server.launch) as server:
            yield {"endpoint": server.endpoint}

    with shared(session_folder, "gcs", start) as facts:
        yield facts["endpoint"]


@pytest.fixture
def paperless() -> Iterator[Callable[[Options], HttpServer]]:
    """Starts Paperless stand-ins, each on a port of its own; all are stopped after the test."""
    with ExitStack() as on_exit:

        def start(options: Options) -> HttpServer:
            stand_in = Paperless(options, SystemClock())
            on_exit.callback(stand_in.close)
            server = HttpServer(stand_in)
            on_exit.callback(server.stop)
            server.start()
            return server

        yield start
