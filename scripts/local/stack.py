"""The whole stack on one machine: its parts started side by side, stopped in reverse order."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from scripts.local import functions, paperless, ports, postgres, seaweedfs
from scripts.local.addresses import DLQ_BUCKET, QUEUE_BUCKET, Stack
from scripts.local.console_output import part_is_ready
from scripts.local.data_folder import owned
from scripts.local.databases import USER
from scripts.local.errors import CannotStartError
from scripts.local.paperless import PaperlessAccess
from scripts.local.secret_files import kept_secret
from shared.adapters import ed25519
from shared.adapters.postgres.migrations import migrate

DEFAULT_PORT = 8080
# Belong to the Paperless that PAPERLESS_URL names, and go with it to the functions.
PAPERLESS_EXTRAS = ("CF_ACCESS_CLIENT_ID", "CF_ACCESS_CLIENT_SECRET", "PAPERLESS_PUBLIC_URL", "PAPERLESS_TAG_IDS_MAP")


class Part(Protocol):
    """A server that was launched."""

    def stop(self) -> None: ...


P = TypeVar("P", bound=Part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the person at the terminal chose."""

    data: Path
    port: int | None = None
    functions: Path = functions.FOLDER


@contextmanager
def running(options: Options, env: Mapping[str, str] | None = None) -> Iterator[Stack]:
    """All parts, ready, while the block runs; whatever ends it, or fails on the way, leaves none behind."""
    outside = os.environ if env is None else env
    with ExitStack() as on_exit:
        lock = on_exit.enter_context(owned(options.data))
        starting = _Starting(on_exit, options, (lock,))
        listener = on_exit.enter_context(listen(options.port))
        store = starting.start_store()
        archive = starting.start_archive(outside)
        database = starting.start_database()  # makes its files first, while the others are starting
        stack = Stack(
            data=options.data,
            url=f"http://{ports.HOST}:{listener.getsockname()[1]}",
            postgres=database.access,
            s3=store.access,
            paperless=archive,
            internal_api_key=kept_secret(options.data / "internal-api-key"),
            receipt_signing_key=kept_secret(options.data / "receipt-signing-key", ed25519.generate),
        )
        extras = {name: outside[name] for name in PAPERLESS_EXTRAS if name in outside}
        served = starting.start_functions(listener, {**extras, **stack.environment()})
        starting.wait(database, store, served)
        yield stack


def listen(wanted: int | None) -> socket.socket:
    """On the port asked for; without a wish on the usual one, or another if that is taken."""
    if wanted is not None:
        return ports.listen(wanted)
    try:
        return ports.listen(DEFAULT_PORT)
    except CannotStartError:
        return ports.listen(ports.free_port())


@dataclass(slots=True)
class _Starting:
    """The parts of one stack while they start; each is stopped when the stack's block ends."""

    on_exit: ExitStack
    options: Options
    keep_open: tuple[int, ...]
    stand_in: paperless.Paperless | None = None

    def start_store(self) -> seaweedfs.SeaweedFS:
        folder = self.options.data / "seaweedfs"
        return self._keep(seaweedfs.launch(folder, log=self._log("seaweedfs"), keep_open=self.keep_open))

    def start_database(self) -> postgres.Postgres:
        folder = self.options.data / "postgres"
        return self._keep(postgres.launch(folder, log=self._log("postgres"), keep_open=self.keep_open))

    def start_archive(self, env: Mapping[str, str]) -> PaperlessAccess:
        given = paperless.given(env)
        if given is not None:
            return given
        folder = self.options.data / "paperless"
        self.stand_in = paperless.launch(folder, log=self._log("paperless"), keep_open=self.keep_open)
        return self._keep(self.stand_in).access

    def start_functions(self, listener: socket.socket, env: dict[str, str]) -> functions.Functions:
        folder, log = self.options.functions, self._log("functions")
        return self._keep(functions.launch(listener, env, log=log, folder=folder, keep_open=self.keep_open))

    def wait(self, database: postgres.Postgres, store: seaweedfs.SeaweedFS, served: functions.Functions) -> None:
        part_is_ready("PostgreSQL", f"{ports.HOST}:{database.access.port}", database.wait_ready())
        began = time.monotonic()
        if not database.access.has_database(USER):
            database.access.create_database(USER)
        migrate(database.access.dsn())
        part_is_ready("schema", "migrated", time.monotonic() - began)
        if self.stand_in is not None:
            part_is_ready("Paperless", self.stand_in.access.url, self.stand_in.wait_ready())
        part_is_ready("S3", store.access.endpoint, store.wait_ready())
        store.create_buckets(QUEUE_BUCKET, DLQ_BUCKET)
        part_is_ready("functions", served.url, served.wait_ready())

    def _keep(self, part: P) -> P:
        self.on_exit.callback(part.stop)
        return part

    def _log(self, name: str) -> Path:
        return self.options.data / "logs" / f"{name}.log"
