"""The command scripts/build: one zip per function, with only what that function reaches and needs."""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scripts.local.console_output import fail
from scripts.packaging import requirements, zips
from scripts.packaging.errors import CannotPackError
from scripts.packaging.reach import reachable

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True, slots=True)
class Package:
    """A zip that was made."""

    name: str
    file: Path
    modules: int
    dependencies: int

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.file.read_bytes()).hexdigest()

    def __str__(self) -> str:
        size = self.file.stat().st_size / 1024
        return (
            f"{self.name:<16} {size:7.1f} KiB  {self.modules:3} modules  {self.dependencies:2} dependencies"
            f"  {self.sha256[:16]}"
        )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="scripts/build", description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "dist", metavar="DIR", help="where to; dist if not given")
    parser.add_argument("names", nargs="*", metavar="FUNCTION", help="which functions; all of them if none is given")
    options = parser.parse_args(arguments)
    try:
        for package in build(ROOT, options.output, options.names):
            print(package, flush=True)
    except CannotPackError as error:
        fail(error)
        return 1
    return 0


def build(root: Path, output: Path, names: list[str] | None = None) -> Iterator[Package]:
    output.mkdir(parents=True, exist_ok=True)
    folders = {main.parent.name: main.parent for main in sorted(root.glob("functions/*/main.py"))}
    if unknown := sorted(set(names or ()) - set(folders)):
        raise CannotPackError(f"there is no function {', '.join(unknown)}; there are {', '.join(folders)}")
    for name in names or folders:
        yield pack(root, folders[name], output)


def pack(root: Path, folder: Path, output: Path) -> Package:
    files = reachable(folder / "main.py", root)
    contents = {file.relative_to(root).as_posix(): file.read_bytes() for file in files}
    contents["main.py"] = (folder / "main.py").read_bytes()
    pins = requirements.pinned(root, _extras(folder))
    contents["requirements.txt"] = pins.encode()
    target = output / f"{folder.name}.zip"
    zips.write(target, contents)
    return Package(folder.name, target, sum(name.endswith(".py") for name in contents), pins.count("=="))


def _extras(folder: Path) -> list[str]:
    file = folder / "function.json"
    try:
        extras = json.loads(file.read_text("utf-8"))["extras"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CannotPackError(f"{folder.name}/{file.name} must be JSON and list its extras ({error!r})") from error
    return [str(extra) for extra in extras]
