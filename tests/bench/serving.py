"""A function served as it is deployed: main.py and all it imports in one folder, compiled, by functions-framework."""

from __future__ import annotations

import compileall
import http.client
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from scripts.local import ports
from scripts.local.errors import CannotStartError
from scripts.local.function_facts import read
from scripts.local.functions import FOLDER, ROOT

BARE = Path(__file__).with_name("bare")
FRAMEWORK = Path(sys.executable).with_name("functions-framework")
LONGEST_START = 60.0
POLL_SECONDS = 0.001


@dataclass(frozen=True, slots=True)
class Staged:
    """A function's folder as it would be unpacked on the platform."""

    name: str
    folder: Path
    target: str


@dataclass(frozen=True, slots=True)
class Request:
    """A request whose answer says that the function did its work."""

    method: str
    path: str
    body: bytes
    headers: Mapping[str, str]
    expected: int


@dataclass(slots=True)
class Served:
    """A process that serves one function."""

    process: subprocess.Popen[bytes]
    port: int
    began: float
    log: Path

    @property
    def url(self) -> str:
        return f"http://{ports.HOST}:{self.port}"

    def first_success(self, request: Request) -> float:
        """Seconds from the start of the process until it has answered as expected."""
        answer = self._connected()
        try:
            answer.request(request.method, request.path, request.body, dict(request.headers))
            response = answer.getresponse()
            text = response.read()
        finally:
            answer.close()
        if response.status != request.expected:
            raise CannotStartError(f"{request.path} answered {response.status}: {text[:300]!r}\n{self._last_lines()}")
        return time.perf_counter() - self.began

    def wait_ready(self) -> None:
        self._connected().close()

    def resident(self) -> int:
        """Bytes of memory of the server and its worker."""
        master = psutil.Process(self.process.pid)
        return sum(each.memory_info().rss for each in (master, *master.children(recursive=True)))

    def _connected(self) -> http.client.HTTPConnection:
        while True:
            connection = http.client.HTTPConnection(ports.HOST, self.port, timeout=LONGEST_START)
            try:
                connection.connect()
            except OSError:
                connection.close()
                self._complain_if_hopeless()
                time.sleep(POLL_SECONDS)
            else:
                return connection

    def _complain_if_hopeless(self) -> None:
        if self.process.poll() is not None or time.perf_counter() - self.began > LONGEST_START:
            raise CannotStartError(f"a function did not start. Its last lines:\n{self._last_lines()}")

    def _last_lines(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])


def stage(name: str, into: Path) -> Staged:
    """One of our functions, with all of `shared` beside it."""
    folder = into / name
    shutil.copytree(ROOT / "shared", folder / "shared", ignore=shutil.ignore_patterns("__pycache__"))
    facts = read(FOLDER / name)
    shutil.copy(facts.source, folder / "main.py")
    return _compiled(Staged(name, folder, facts.entry_point))


def stage_bare(name: str, into: Path) -> Staged:
    """A floor: one file."""
    folder = into / f"bare-{name}"
    folder.mkdir()
    shutil.copy(BARE / f"{name.replace('-', '_')}.py", folder / "main.py")
    return _compiled(Staged(f"bare {name}", folder, "bare"))


def _compiled(staged: Staged) -> Staged:
    compileall.compile_dir(staged.folder, quiet=1)
    return staged


@contextmanager
def serving(staged: Staged, env: Mapping[str, str]) -> Iterator[Served]:
    port, log = ports.free_port(), staged.folder / "server.log"
    command = [str(FRAMEWORK), "--target", staged.target, "--source", "main.py", "--host", ports.HOST]
    with log.open("ab") as output:
        began = time.perf_counter()
        process = subprocess.Popen(
            [*command, "--port", str(port)], cwd=staged.folder, env=dict(env), stdout=output, stderr=output
        )
    try:
        yield Served(process, port, began, log)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
