"""The Paperless of the local stack: the stand-in as a child, or the server that PAPERLESS_URL names."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.local import ports, processes
from scripts.local.errors import CannotStartError
from scripts.local.secret_files import kept_secret

COMMAND = Path(__file__).resolve().parent.parent / "paperless"
VERSION = "3.0.5"
USER = "archivist"


@dataclass(frozen=True, slots=True)
class PaperlessAccess:
    """Where a Paperless is and what opens it."""

    url: str
    token: str


@dataclass(slots=True)
class Paperless:
    """The started stand-in."""

    child: processes.Child
    access: PaperlessAccess

    def wait_ready(self, seconds: float = 20.0) -> float:
        return processes.wait_until(self.child, self._knows_its_token, seconds)

    def _knows_its_token(self) -> bool:
        """Another program that took the port in between would not."""
        return ports.answers_http(f"{self.access.url}/api/tags/", {"Authorization": f"Token {self.access.token}"})

    def stop(self) -> None:
        self.child.stop()


def given(env: Mapping[str, str]) -> PaperlessAccess | None:
    """The server the environment names, if it names one."""
    url = env.get("PAPERLESS_URL", "")
    if not url:
        return None
    token = env.get("PAPERLESS_API_TOKEN", "")
    if not token:
        raise CannotStartError(
            "PAPERLESS_URL is set and PAPERLESS_API_TOKEN is not. Set the token of a user who may add documents, "
            "or unset PAPERLESS_URL to use the stand-in."
        )
    return PaperlessAccess(url.rstrip("/"), token)


def launch(folder: Path, *, log: Path, keep_open: Sequence[int] = ()) -> Paperless:
    port, token = ports.free_port(), kept_secret(folder / "token")
    command = [
        *(sys.executable, str(COMMAND), "--port", str(port), "--server-version", VERSION),
        *("--user", f"{USER}:{token}:superuser", "--data", str(folder / "data")),
    ]
    program = processes.Program(
        name="Paperless",
        command=command,
        log=log,
        env={"PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder)},
        keep_open=keep_open,
    )
    return Paperless(processes.start(program), PaperlessAccess(f"http://{ports.HOST}:{port}", token))
