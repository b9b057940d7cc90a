"""The READMEs tell the truth: every setting and every command is there, and every test they name exists."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import shared
from shared.config import Settings
from tests.architecture.facts import FUNCTIONS, settings_of, variables
from tests.architecture.import_graph import ROOT
from tests.architecture.test_layout import is_command

README = ROOT / "README.md"
TEST = re.compile(r"`(tests/[\w/]+\.py)::(?:\w+::)?(test_\w+)`")
PROOF = re.compile(r"`scripts/prove ([a-z-]+)")
VARIABLE = re.compile(r"^\| `([A-Z][A-Z0-9_]+)` \|")


def section(title: str) -> list[str]:
    """The lines below a heading that begins like this, up to the next of its rank."""
    _, found, below = README.read_text("utf-8").partition(f"\n## {title}")
    assert found, f"README.md has no section {title!r}"
    return below.split("\n## ")[0].splitlines()[1:]


def rows(title: str) -> list[str]:
    """The rows of the section's tables, without their headings."""
    lines = [line for line in section(title) if line.startswith("|")]
    return [line for number, line in enumerate(lines) if not _is_heading(lines, number)]


def _is_heading(lines: list[str], number: int) -> bool:
    return any(re.fullmatch(r"\|[\s:|-]+\|", line) for line in lines[number : number + 2])


def all_settings() -> list[type[Settings]]:
    """Every class of settings, those of main.py files included."""
    for module in pkgutil.walk_packages(shared.__path__, "shared."):
        importlib.import_module(module.name)
    own = {settings for function in FUNCTIONS for settings in settings_of(function)}
    ours = {each for each in Settings.__subclasses__() if each.__module__.startswith("shared.")}
    return sorted(own | ours, key=lambda settings: settings.__qualname__)


def test_every_setting_is_in_the_table_and_nothing_else_is() -> None:
    listed = [found[1] for row in rows("Settings") if (found := VARIABLE.match(row))]

    known = {*variables(all_settings(), secret=False), *variables(all_settings(), secret=True)}
    assert sorted(known - set(listed)) == []
    assert sorted(set(listed) - known) == []
    assert len(listed) == len(set(listed))


def test_every_row_of_what_happens_if_names_a_test_or_a_proof() -> None:
    found = rows("What happens if")

    assert found
    assert [row for row in found if not TEST.search(row) and not PROOF.search(row)] == []


def test_every_test_a_readme_names_exists() -> None:
    named = {match for path in readmes() for match in TEST.findall(path.read_text("utf-8"))}

    assert sorted(f"{file}::{name}" for file, name in named if name not in names_in(ROOT / file)) == []


def test_every_proof_a_readme_names_exists() -> None:
    named = {name for path in readmes() for name in PROOF.findall(path.read_text("utf-8"))}

    missing = [name for name in named if not (ROOT / "tests" / "prove" / f"{name.replace('-', '_')}.py").is_file()]
    assert sorted(missing) == []


@pytest.mark.parametrize("command", [path.name for path in sorted((ROOT / "scripts").iterdir()) if is_command(path)])
def test_every_command_is_listed(command: str) -> None:
    listed = (ROOT / "scripts" / "README.md").read_text("utf-8")

    assert f"| `scripts/{command}" in listed


def readmes() -> list[Path]:
    return [README, *sorted((ROOT / "scripts").glob("README.md")), *sorted((ROOT / "tests").glob("README.md"))]


def names_in(file: Path) -> set[str]:
    if not file.is_file():
        return set()
    tree = ast.parse(file.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
