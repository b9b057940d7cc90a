"""Makes the project's own environment, .venv, and moves the command that called into it.

Standard library only, and syntax an older Python can read, so that it can say what it needs.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OLDEST = (3, 11)
STAMP = "requirements.sha256"
SECONDS_BETWEEN_SIGNS_OF_LIFE = 10


class BootstrapError(Exception):
    """Why there is no environment, and what to do."""


class Project:
    """A folder with a requirements.lock, and the environment that follows it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.lock = root / "requirements.lock"
        self.venv = root / ".venv"
        self.python = self.venv / "bin" / "python"
        self.stamp = self.venv / STAMP

    def is_current(self) -> bool:
        try:
            return self.stamp.read_text() == self.wanted_stamp() and self.python.exists()
        except (FileNotFoundError, NotADirectoryError):
            return False

    def wanted_stamp(self) -> str:
        return hashlib.sha256(self.lock.read_bytes()).hexdigest()

    def packages(self) -> int:
        return len(re.findall(r"^[\w.-]+==", self.lock.read_text(), re.MULTILINE))

    def requirement(self, name: str) -> str:
        """The lines of one package in the lock, its hashes included."""
        found = re.search(rf"^{re.escape(name)}==(?:.*\\\n)*.*$", self.lock.read_text(), re.MULTILINE)
        if found is None:
            raise BootstrapError(f"{self.lock.name} does not pin {name}. Restore the file from the repository.")
        return found.group() + "\n"


def enter() -> None:
    """Go on inside the environment: returns there, with the repository's root in the place of this folder."""
    project = Project(Path(__file__).resolve().parent.parent)
    try:
        require_python(sys.version_info[:2])
        ensure(project)
    except (BootstrapError, OSError) as error:
        sys.exit(f"error: {explain(error)}")
    if Path(sys.prefix).resolve() != project.venv.resolve():
        os.execv(project.python, [str(project.python), *sys.argv])
    sys.path[0] = str(project.root)


def require_python(version: tuple[int, ...]) -> None:
    if version < OLDEST:
        raise BootstrapError(
            "This needs Python {}.{} or newer and was started with {}.{}. "
            "Install a newer one and start the command with it.".format(*OLDEST, *version)
        )


def explain(error: Exception) -> str:
    if not isinstance(error, OSError):
        return str(error)
    return f"The environment cannot be made: {error}. Check that the folder is writable and the disk not full."


def ensure(project: Project) -> None:
    if project.is_current():
        return
    with only_one(project):
        if not project.is_current():
            make(project)


@contextmanager
def only_one(project: Project) -> Iterator[None]:
    """Of several commands started at once, one installs and the others wait; the lock goes when its holder does."""
    with project.lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another command that is installing ...")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def make(project: Project) -> None:
    started = time.monotonic()
    project.venv.mkdir(exist_ok=True)
    project.stamp.unlink(missing_ok=True)
    stamp = project.wanted_stamp()
    if not works(project):
        say(f"making the environment {project.venv.name} ...")
        run(
            [sys.executable, "-m", "venv", "--clear", str(project.venv)],
            "Python could not make an environment. On Debian and Ubuntu install python3-venv, then start again.",
        )
    install_uv(project)
    say(f"installing {project.packages()} packages ...")
    run(
        [*uv_sync(project), "--require-hashes", "--compile-bytecode", "--quiet", str(project.lock)],
        "The packages could not be installed. Check the network and the disk, then start again.",
    )
    project.stamp.write_text(stamp)
    say(f"installed in {time.monotonic() - started:.1f} s")


def works(project: Project) -> bool:
    """An environment made halfway, or whose Python has since gone, is made again."""
    try:
        result = subprocess.run([project.python, "-m", "pip", "--version"], capture_output=True, check=False)
    except OSError:
        return False
    return result.returncode == 0


def uv_sync(project: Project) -> list[str]:
    return [str(project.python), "-m", "uv", "pip", "sync", "--python", str(project.python)]


def install_uv(project: Project) -> None:
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "uv.txt"
        wanted.write_text(project.requirement("uv"))
        command = [str(project.python), "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
        run(
            [*command, "--disable-pip-version-check", "-r", str(wanted)],
            "The installer uv could not be fetched. Check the network, then start again.",
        )


def run(command: Sequence[str], trouble: str) -> None:
    """Run to the end with a sign of life now and then; on failure its last lines and what to do."""
    started = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        while True:
            try:
                code = process.wait(SECONDS_BETWEEN_SIGNS_OF_LIFE)
                break
            except subprocess.TimeoutExpired:
                say(f"  still at it, {time.monotonic() - started:.0f} s")
            except BaseException:
                process.kill()
                process.wait()
                raise
        if code != 0:
            output.seek(0)
            raise BootstrapError("".join([*output.readlines()[-12:], trouble]))


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
