"""The house has its rooms and no others, and every file says what it is for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.architecture.import_graph import ROOT

ROOMS = {"functions", "shared", "terraform", "tests", "scripts"}
PAPERS = {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", "requirements.lock"}
LONGEST = 260  # ports.py is one page on purpose


def sources() -> list[Path]:
    """Every module, and the commands, which are Python without a suffix."""
    modules = [path for room in sorted(ROOMS) for path in sorted((ROOT / room).rglob("*.py"))]
    return modules + [path for path in sorted((ROOT / "scripts").iterdir()) if is_command(path)]


def is_command(path: Path) -> bool:
    return path.is_file() and path.suffix == "" and path.read_bytes().startswith(b"#!")


def test_the_top_level_holds_the_agreed_entries_and_no_other() -> None:
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}

    assert found == ROOMS | PAPERS


@pytest.mark.parametrize("room", sorted(ROOMS - {"terraform"}))
def test_every_module_begins_with_a_sentence(room: str) -> None:
    silent = [
        str(path.relative_to(ROOT)) for path in sources() if path.is_relative_to(ROOT / room) and not has_sentence(path)
    ]

    assert silent == []


def has_sentence(path: Path) -> bool:
    said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return said.strip().partition("\n\n")[0].rstrip().endswith((".", "?", ":"))


def test_no_module_we_ship_is_too_long_to_read() -> None:
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in (ROOT / "shared").rglob("*.py")}

    assert [str(path.relative_to(ROOT)) for path, lines in lengths.items() if lines > LONGEST] == []


def test_every_folder_of_modules_is_a_package() -> None:
    packages = {path.parent for path in (ROOT / "shared").rglob("*.py")}

    assert [str(folder.relative_to(ROOT)) for folder in packages if not (folder / "__init__.py").is_file()] == []
