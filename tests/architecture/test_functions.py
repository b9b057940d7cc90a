"""Each function is a folder of two files, and declares exactly what its source needs."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from tests.architecture.facts import COMES_ALONG, EXTRAS, FUNCTIONS, declared, extra_of, settings_of, variables
from tests.architecture.import_graph import ROOT, reach

each_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda path: path.name)


def test_there_are_functions() -> None:
    assert {"archive-write", "archiver-drain", "audit-callback"} <= {path.name for path in FUNCTIONS}


def test_every_folder_of_functions_is_a_function() -> None:
    assert sorted(path for path in (ROOT / "functions").iterdir() if path.name != "__pycache__") == FUNCTIONS


@each_function
def test_a_function_is_two_files_and_nothing_beside_them(function: Path) -> None:
    found = {path.name for path in function.iterdir() if path.name != "__pycache__"}

    assert found == {"main.py", "function.json"}


@each_function
def test_the_entry_point_is_a_function_that_the_framework_was_told_of(function: Path) -> None:
    tree = ast.parse((function / "main.py").read_text("utf-8"))
    handlers = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and "functions_framework.http" in map(ast.unparse, node.decorator_list)
    ]

    assert handlers == [declared(function)["entryPoint"]]


def test_no_two_functions_have_the_same_handler() -> None:
    names = Counter(declared(function)["entryPoint"] for function in FUNCTIONS)

    assert [name for name, count in names.items() if count > 1] == []


@each_function
def test_the_extras_are_what_the_imports_need(function: Path) -> None:
    external = reach(function / "main.py").external
    libraries = {name for name in external if name.split(".")[0] not in sys.stdlib_module_names}

    needed = {extra for extra in map(extra_of, libraries) if extra}

    assert sorted(needed) == sorted(declared(function)["extras"])


def test_every_extra_is_one_of_pyproject() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert set(EXTRAS.values()) == set(project["optional-dependencies"])
    assert not set(EXTRAS) & set(COMES_ALONG)


@each_function
def test_a_function_reaches_nothing_that_is_not_shipped(function: Path) -> None:
    ours = reach(function / "main.py").ours

    assert [name for name in ours if name.split(".")[0] != "shared"] == []


@each_function
def test_env_and_secrets_are_what_its_settings_read(function: Path) -> None:
    loaded = settings_of(function)

    assert declared(function)["env"] == variables(loaded, secret=False)
    assert declared(function)["secrets"] == variables(loaded, secret=True)


@each_function
def test_a_variable_means_the_same_to_every_class_that_reads_it(function: Path) -> None:
    loaded = settings_of(function)

    assert not set(variables(loaded, secret=False)) & set(variables(loaded, secret=True))


@each_function
def test_every_setting_says_what_it_expects(function: Path) -> None:
    silent = [
        f"{settings.__name__}.{name}"
        for settings in settings_of(function)
        for name, field in settings.model_fields.items()
        if not field.description
    ]

    assert silent == []


def test_the_drain_has_no_database() -> None:
    ours = reach(ROOT / "functions" / "archiver-drain" / "main.py").ours

    assert [name for name in ours if "postgres" in name] == []
