"""The import rules hold, and are seen to break when somebody breaks them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.import_graph import ROOT

LINT = "from importlinter.cli import lint_imports_command as run; run()"


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LINT, "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What we ship, where a test may spoil it."""
    shutil.copytree(ROOT / "shared", tmp_path / "shared", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in ("tests", "scripts"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    return tmp_path


def test_the_rules_hold() -> None:
    result = lint(ROOT)

    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("module", "planted", "broken"),
    [
        ("services/archive_write", "from shared.adapters import clock", "Services speak to ports"),
        ("services/archive_write", "import boto3", "Services speak to ports"),
        ("domain/keys", "from shared import ports", "The domain imports nothing of ours"),
        ("ports", "from shared.services import feed", "Ports know the domain only"),
        ("adapters/clock", "from shared.adapters import workers", "No adapter imports another"),
        ("adapters/clock", "from shared.services import feed", "Adapters know no service"),
        ("http/router", "from shared.services import feed", "HTTP knows config and domain"),
        ("config", "import scripts", "What we ship knows nothing of tests or commands"),
    ],
)
def test_a_forbidden_import_is_caught(copy: Path, module: str, planted: str, broken: str) -> None:
    file = copy / "shared" / f"{module}.py"
    file.write_text(f"{file.read_text('utf-8')}\n\n{planted}\n", "utf-8")

    result = lint(copy)

    assert result.returncode != 0
    assert f"{broken}" in result.stdout
    assert "BROKEN" in result.stdout
