"""What the commands make of their arguments."""

from __future__ import annotations

import argparse

import pytest

from scripts.local.run import parse, port_number
from scripts.local.test import pytest_arguments


def test_all_tests_run_on_two_processes() -> None:
    assert pytest_arguments(["tests/domain", "-q"]) == ["-n", "2", "--dist", "worksteal", "tests/domain", "-q"]


@pytest.mark.parametrize("given", [["-n0"], ["--pdb"], ["tests/local/test_ports.py::test_a_taken_port_is_not_free"]])
def test_one_process_is_enough_where_somebody_looks_closely(given: list[str]) -> None:
    assert pytest_arguments(given) == given


def test_a_port_is_refused_when_there_is_no_such_port() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="must lie between 1 and 65535"):
        port_number("70000")


def test_without_arguments_data_is_kept_in_the_repository_and_the_port_is_left_open() -> None:
    options = parse([])

    assert (options.data.name, options.port, options.once, options.json) == (".local", None, False, False)
