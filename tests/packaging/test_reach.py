"""What a function can reach is found without running it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.packaging.errors import CannotPackError
from scripts.packaging.reach import reachable


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "shared/__init__.py": "",
        "shared/used.py": "from shared.deep import inner\n",
        "shared/unused.py": "",
        "shared/used.json": "{}",
        "shared/unused.json": "{}",
        "shared/of_the_package.txt": "",
        "shared/deep/__init__.py": "",
        "shared/deep/inner.py": "",
        "shared/deep/inner/one.sql": "",
        "shared/deep/other/two.sql": "",
        "shared/later.py": "",
        "shared/typed.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def found(root: Path, source: str) -> set[str]:
    (root / "main.py").write_text(source)
    return {file.relative_to(root).as_posix() for file in reachable(root / "main.py", root)}


def test_imports_are_followed_through_modules_and_their_packages(root: Path) -> None:
    assert {"shared/__init__.py", "shared/used.py", "shared/deep/__init__.py", "shared/deep/inner.py"} <= found(
        root, "import shared.used"
    )


def test_what_is_not_imported_stays_out(root: Path) -> None:
    assert found(root, "from shared import used").isdisjoint({"shared/unused.py", "shared/unused.json"})


def test_data_goes_with_its_module_and_the_rest_with_the_package(root: Path) -> None:
    data = {name for name in found(root, "from shared import used") if not name.endswith(".py")}

    assert data == {
        "shared/used.json",
        "shared/of_the_package.txt",
        "shared/deep/inner/one.sql",
        "shared/deep/other/two.sql",
    }


@pytest.mark.parametrize(
    "source",
    [
        "def work():\n    from shared import later\n",
        "import importlib\nlater = importlib.import_module('shared.later')\n",
    ],
)
def test_imports_inside_functions_and_by_name_count(root: Path, source: str) -> None:
    assert "shared/later.py" in found(root, source)


def test_imports_for_the_type_checker_do_not_count(root: Path) -> None:
    source = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from shared import typed\n"

    assert "shared/typed.py" not in found(root, source)


def test_a_relative_import_is_refused_with_its_line(root: Path) -> None:
    with pytest.raises(CannotPackError, match=r"main\.py, line 1"):
        found(root, "from . import used")
