"""The real parts of a bench: PostgreSQL, SeaweedFS and Paperless's stand-in, in a folder that goes with them."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from scripts.local import ports, postgres, processes, seaweedfs
from scripts.local.addresses import DLQ_BUCKET, QUEUE_BUCKET
from scripts.local.databases import USER, PostgresAccess
from scripts.local.functions import ROOT
from scripts.local.seaweedfs import SeaweedFS
from scripts.local.secret_files import new_secret
from shared.adapters import ed25519
from shared.adapters.postgres.migrations import migrate
from tests.bench.report import Bench

SERVER_VERSION = "3.0.5"


@dataclass(frozen=True, slots=True)
class StandIn:
    """A running stand-in and its counters."""

    url: str
    token: str

    def answers(self) -> bool:
        try:
            self.state()
        except httpx.HTTPError:
            return False
        return True

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = httpx.get(f"{self.url}/stand-in/state", timeout=30, trust_env=False).json()
        return found

    def reset_counters(self) -> None:
        httpx.post(f"{self.url}/stand-in/reset-counters", timeout=30, trust_env=False).raise_for_status()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a bench works on."""

    folder: Path
    store: SeaweedFS
    postgres: PostgresAccess
    on_exit: ExitStack = field(repr=False)
    internal_api_key: str = field(default_factory=new_secret, repr=False)
    signing_key: str = field(default_factory=ed25519.generate, repr=False)

    def environment(self) -> dict[str, str]:
        """What every served function is told; nothing else of this machine reaches it."""
        access = self.store.access
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.folder),
            "AWS_S3_ENDPOINT": access.endpoint,
            "AWS_ACCESS_KEY_ID": access.access_key,
            "AWS_SECRET_ACCESS_KEY": access.secret_key,
            "AWS_REGION": access.region,
            "AWS_S3_ARCHIVE_BUCKET": QUEUE_BUCKET,
            "AWS_S3_DLQ_BUCKET": DLQ_BUCKET,
            "DATABASE_URL": self.postgres.dsn(),
            "INTERNAL_API_KEY": self.internal_api_key,
            "RECEIPT_SIGNING_KEY": self.signing_key,
        }

    def start_stand_in(self, name: str, *, consume_seconds: float) -> StandIn:
        """A Paperless of its own, in memory."""
        port, token = ports.free_port(), new_secret()
        program = processes.Program(
            name="Paperless",
            command=[
                *(sys.executable, "-m", "tests.stand_ins.paperless", "--port", str(port), "--no-tag-cost"),
                *("--server-version", SERVER_VERSION, "--user", f"archivist:{token}:superuser"),
                *("--consume-seconds", str(consume_seconds)),
            ],
            log=self.folder / "logs" / f"{name}.log",
            cwd=ROOT,
        )
        child = processes.start(program)
        self.on_exit.callback(child.stop)
        stand_in = StandIn(f"http://{ports.HOST}:{port}", token)
        processes.wait_until(child, stand_in.answers, 20.0)
        return stand_in


@contextmanager
def started(bench: Bench) -> Iterator[Parts]:
    """PostgreSQL with the schema and SeaweedFS with the buckets, ready; at the end all is gone."""
    with ExitStack() as on_exit:
        folder = Path(on_exit.enter_context(tempfile.TemporaryDirectory(prefix="archivolt-bench-")))
        store = seaweedfs.launch(folder / "seaweedfs")
        on_exit.callback(store.stop)
        database = postgres.launch(folder / "postgres")
        on_exit.callback(database.stop)
        database.wait_ready()
        database.access.create_database(USER)
        migrate(database.access.dsn())
        store.wait_ready()
        store.create_buckets(QUEUE_BUCKET, DLQ_BUCKET)
        bench.say("PostgreSQL and SeaweedFS are ready")
        yield Parts(folder=folder, store=store, postgres=database.access, on_exit=on_exit)
