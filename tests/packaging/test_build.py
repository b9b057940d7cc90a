"""The same sources make the same packages, and a package holds what its function reaches and nothing else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

from scripts.packaging.build import ROOT, build, main
from scripts.packaging.errors import CannotPackError


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    output = tmp_path_factory.mktemp("dist")
    return {package.name: package.file for package in build(ROOT, output)}


def copy_of_the_repository(folder: Path, touched: float) -> Path:
    for part in ("functions", "shared"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("pyproject.toml", "requirements.lock"):
        shutil.copyfile(ROOT / part, folder / part)
    for file in folder.rglob("*"):
        os.utime(file, (touched, touched))
    return folder


def names(package: Path) -> set[str]:
    with ZipFile(package) as archive:
        return set(archive.namelist())


def test_two_builds_in_two_folders_at_two_times_are_identical(tmp_path: Path) -> None:
    first = copy_of_the_repository(tmp_path / "first", touched=1_000_000_000)
    second = copy_of_the_repository(tmp_path / "a" / "second", touched=1_700_000_000)

    built = [{each.name: each.sha256 for each in build(root, root / "dist")} for root in (first, second)]

    assert built[0] == built[1]
    assert len(built[0]) >= 3


def test_every_function_has_a_package(packages: dict[str, Path]) -> None:
    folders = {main.parent.name for main in ROOT.glob("functions/*/main.py")}

    assert set(packages) == folders


def test_a_package_holds_nothing_but_the_function_and_its_part_of_shared(packages: dict[str, Path]) -> None:
    strangers = {
        name
        for package in packages.values()
        for name in names(package)
        if not name.startswith("shared/") and name not in {"main.py", "requirements.txt"}
    }

    assert strangers == set()


def test_bytecode_stays_at_home(packages: dict[str, Path]) -> None:
    assert not [name for package in packages.values() for name in names(package) if name.endswith(".pyc")]


def test_data_goes_with_the_module_of_its_name(packages: dict[str, Path]) -> None:
    shipped = names(packages["audit-callback"])

    assert "shared/adapters/postgres/queries/add_events.sql" in shipped
    assert "shared/observability/metrics.json" in shipped


def test_migrations_are_not_deployed(packages: dict[str, Path]) -> None:
    assert not [name for package in packages.values() for name in names(package) if "/migrations" in name]


def test_what_is_imported_later_is_shipped_too(packages: dict[str, Path]) -> None:
    assert "shared/adapters/postgres/cloud_sql.py" in names(packages["audit-callback"])


def test_a_function_gets_only_its_own_dependencies(packages: dict[str, Path]) -> None:
    with ZipFile(packages["archiver-drain"]) as archive:
        pins = archive.read("requirements.txt").decode()

    assert "\nboto3==" in pins
    assert "pg8000==" not in pins
    assert "pytest==" not in pins
    assert pins.count("--hash=sha256:") >= pins.count("==")


def test_one_function_can_be_packed_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--output", str(tmp_path), "archiver-drain"]) == 0

    assert [file.name for file in tmp_path.iterdir()] == ["archiver-drain.zip"]
    assert "KiB" in capsys.readouterr().out


def test_a_name_that_is_no_function_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotPackError, match=r"there is no function nonsense; there are .*archive-write"):
        list(build(ROOT, tmp_path, ["nonsense"]))


def test_a_broken_function_json_is_refused_by_its_name(tmp_path: Path) -> None:
    root = copy_of_the_repository(tmp_path, touched=1_000_000_000)
    (root / "functions" / "archive-write" / "function.json").write_text("{")

    with pytest.raises(CannotPackError, match=r"archive-write/function\.json must be JSON"):
        list(build(root, tmp_path / "dist"))


def test_an_extra_that_is_not_declared_is_refused_by_its_name(tmp_path: Path) -> None:
    root = copy_of_the_repository(tmp_path, touched=1_000_000_000)
    (root / "functions" / "archive-write" / "function.json").write_text('{"extras": ["s3", "telex"]}')

    with pytest.raises(CannotPackError, match="no extra telex"):
        list(build(root, tmp_path / "dist"))
