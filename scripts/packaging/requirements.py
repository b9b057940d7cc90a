"""The part of requirements.lock that one function needs: versions and hashes, nothing else."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from scripts.packaging.errors import CannotPackError

# The functions' runtime, whatever machine packs them: Terraform deploys python311 on Linux.
RUNTIME = {
    "python_version": "3.11",
    "python_full_version": "3.11.0",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "os_name": "posix",
    "sys_platform": "linux",
    "platform_system": "Linux",
    "platform_machine": "x86_64",
}
PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)==(?:.*\\\n)*.*$", re.MULTILINE)


def pinned(root: Path, extras: Iterable[str]) -> str:
    """A requirements.txt for these extras of pyproject.toml, complete and with hashes."""
    lock = {canonicalize_name(found[1]): found[0] for found in PIN.finditer((root / "requirements.lock").read_text())}
    needed = sorted(closure(declared(root, extras)))
    if missing := [name for name in needed if name not in lock]:
        raise CannotPackError(f"requirements.lock does not pin {', '.join(missing)}: make the lock again")
    return "".join(f"{lock[name]}\n" for name in needed)


def declared(root: Path, extras: Iterable[str]) -> list[Requirement]:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    known: dict[str, list[str]] = project["optional-dependencies"]
    if unknown := sorted(set(extras) - set(known)):
        raise CannotPackError(f"pyproject.toml has no extra {', '.join(unknown)}; it has {', '.join(sorted(known))}")
    chosen = [text for name in extras for text in known[name]]
    return [Requirement(text) for text in (*project["dependencies"], *chosen)]


def closure(wanted: Iterable[Requirement]) -> set[NormalizedName]:
    """The names of all packages that these need, by the metadata of what is installed, which follows the lock."""
    seen: set[tuple[NormalizedName, str]] = set()
    waiting = list(wanted)
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        for extra in {"", *requirement.extras}:
            if (name, extra) not in seen:
                seen.add((name, extra))
                waiting.extend(_needed_by(name, extra))
    return {name for name, _ in seen}


def _needed_by(name: str, extra: str) -> list[Requirement]:
    try:
        texts = requires(name) or []
    except PackageNotFoundError as exc:
        raise CannotPackError(f"{name} is needed and not installed: start any command of scripts/ once") from exc
    found = [Requirement(text) for text in texts]
    return [each for each in found if each.marker is None or each.marker.evaluate({**RUNTIME, "extra": extra})]
