"""The environment follows the lock, is made once however many ask, and is never taken for good halfway."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.bootstrap import BootstrapError, Project, ensure, explain, require_python
from tests.local import wheels

COMMAND = """#!/usr/bin/env python3
import bootstrap

bootstrap.enter()

import sys
import greeter

print(greeter.GREETING, sys.path[0], *sys.argv[1:])
"""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder of wheels and the lock that names them."""
    folder = tmp_path_factory.mktemp("wheels")
    return folder, wheels.tiny(folder, "greeter") + wheels.repack("uv", folder)


@pytest.fixture
def project(tmp_path: Path, shelf: tuple[Path, str]) -> Project:
    """A project of one command, never started."""
    (tmp_path / "requirements.lock").write_text(shelf[1])
    (tmp_path / "scripts").mkdir()
    shutil.copy(Path("scripts") / "bootstrap.py", tmp_path / "scripts")
    command = tmp_path / "scripts" / "greet"
    command.write_text(COMMAND)
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return Project(tmp_path)


def greet(project: Project, shelf: Path) -> subprocess.Popen[str]:
    """The command, started by a Python outside of every environment, with that folder as its only source."""
    outside = Path(sys.base_prefix) / "bin" / "python3"
    sources = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(shelf), "UV_NO_INDEX": "1", "UV_FIND_LINKS": str(shelf)}
    return subprocess.Popen(
        [str(outside), "scripts/greet", "a b"],
        cwd=project.root,
        env={**os.environ, **sources, "UV_CACHE_DIR": str(shelf / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_first_commands_at_once_make_one_environment_and_the_next_makes_none(
    project: Project, shelf: tuple[Path, str]
) -> None:
    both = [greet(project, shelf[0]), greet(project, shelf[0])]
    said = [process.communicate(timeout=60) for process in both]

    again, quiet = greet(project, shelf[0]).communicate(timeout=60)

    assert [out for out, _ in said] == [f"hello {project.root} a b\n"] * 2, said
    assert sum("installing 2 packages ..." in err for _, err in said) == 1
    assert sum("waiting for another command" in err for _, err in said) == 1
    assert (again, quiet) == (said[0][0], "")
    assert list(project.venv.rglob("greeter.*.pyc"))


def test_an_install_that_fails_says_what_to_do_and_is_not_taken_for_good(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    process = greet(project, tmp_path_factory.mktemp("nothing"))

    out, err = process.communicate(timeout=60)

    assert (process.returncode, out) == (1, "")
    assert err.endswith("The installer uv could not be fetched. Check the network, then start again.\n")
    assert not project.is_current()


def test_an_environment_is_current_while_the_lock_is_the_one_it_was_made_from(project: Project) -> None:
    project.python.parent.mkdir(parents=True)
    project.python.touch()
    project.stamp.write_text(project.wanted_stamp())
    assert project.is_current()

    project.lock.write_text(project.lock.read_text() + "# changed\n")

    assert not project.is_current()


def test_an_environment_whose_python_is_gone_is_not_current(project: Project) -> None:
    project.venv.mkdir()
    project.stamp.write_text(project.wanted_stamp())

    assert not project.is_current()


def test_the_installers_own_pin_is_taken_from_the_lock_with_its_hashes(
    project: Project, shelf: tuple[Path, str]
) -> None:
    assert project.packages() == 2
    assert project.requirement("uv") in shelf[1]
    assert project.requirement("uv").startswith("uv==")
    assert "--hash=sha256:" in project.requirement("uv")


def test_a_lock_without_the_installer_is_named(project: Project) -> None:
    project.lock.write_text("greeter==1.0\n")

    with pytest.raises(BootstrapError, match=r"requirements\.lock does not pin uv"):
        project.requirement("uv")


def test_an_older_python_is_told_which_one_is_needed() -> None:
    with pytest.raises(BootstrapError, match=r"needs Python 3\.11 or newer and was started with 3\.9"):
        require_python((3, 9))


def test_a_folder_that_cannot_be_written_is_a_sentence(project: Project) -> None:
    project.venv.touch()

    with pytest.raises(OSError, match="File exists") as caught:
        ensure(project)

    assert "Check that the folder is writable and the disk not full" in explain(caught.value)
