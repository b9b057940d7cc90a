"""Plans of both environments, made once; without Terraform these tests are skipped and say so."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from scripts.terraform_checks.check import ROOT
from scripts.terraform_checks.errors import CannotCheckError
from scripts.terraform_checks.plans import Plan, initialise, plan
from scripts.terraform_checks.workplace import Workplace, given_mirror, prepare


@pytest.fixture(scope="session")
def new_workplace(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Workplace]:
    """Makes a copy of terraform/ and of what it reads, ready to plan staging."""

    def made() -> Workplace:
        if shutil.which("terraform") is None:
            pytest.skip("terraform is not installed: nothing of terraform/ is tested here")
        mirror = given_mirror()
        workplace = prepare(ROOT, tmp_path_factory.mktemp("terraform"), mirror)
        try:
            initialise(workplace, workplace.terraform / "environments" / "staging")
        except CannotCheckError as error:
            if mirror is not None:
                raise
            pytest.skip(f"terraform finds no providers, neither in a registry nor in a mirror: {error}")
        return workplace

    return made


@pytest.fixture(scope="session")
def workplace(new_workplace: Callable[[], Workplace]) -> Workplace:
    """The repository as it is."""
    return new_workplace()


@pytest.fixture(scope="session")
def staging(workplace: Workplace) -> Plan:
    return plan(workplace, "staging")


@pytest.fixture(scope="session")
def production(workplace: Workplace) -> Plan:
    initialise(workplace, workplace.terraform / "environments" / "production")
    return plan(workplace, "production")


@pytest.fixture(params=["staging", "production"])
def environment(request: pytest.FixtureRequest) -> Plan:
    """Each of the two environments in turn."""
    planned: Plan = request.getfixturevalue(request.param)
    return planned
