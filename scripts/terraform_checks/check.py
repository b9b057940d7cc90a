"""The command scripts/check_terraform: everything about terraform/ that can be known without a cloud."""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NoReturn

from scripts.local.console_output import fail
from scripts.packaging.errors import CannotPackError
from scripts.terraform_checks import plans, tools
from scripts.terraform_checks.errors import CannotCheckError
from scripts.terraform_checks.workplace import MIRROR_VARIABLE, Workplace, given_mirror, prepare

ROOT = Path(__file__).resolve().parent.parent.parent
# A test is mostly a provider that starts and stops; more at once than cores fills the waiting.
AT_ONCE = 3
PASSED = re.compile(r"(\d+) passed, \d+ failed")
CHECKED = re.compile(r"Passed checks: (\d+), Failed checks: 0,(?!.*Parsing errors: [1-9])")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One check, done."""

    name: str
    good: bool
    covered: str
    output: str = ""
    tests: int = 0
    resources: int = 0


def main(arguments: list[str] | None = None) -> NoReturn:
    parser = argparse.ArgumentParser(prog="scripts/check_terraform", description=__doc__)
    parser.add_argument("--mirror", metavar="DIR", help=f"a folder of providers; {MIRROR_VARIABLE} if not given")
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="check-terraform-") as folder:
            good = check(given_mirror(options.mirror), Path(folder))
    except (CannotCheckError, CannotPackError) as error:
        fail(error)
        sys.exit(2)
    sys.exit(0 if good else 1)


def check(mirror: Path | None, folder: Path) -> bool:
    began = time.monotonic()
    workplace = prepare(ROOT, folder, mirror)
    lint, policy = tools.tflint(), tools.checkov(ROOT)
    modules = sorted((workplace.terraform / "modules").iterdir())
    environments = sorted((workplace.terraform / "environments").iterdir())
    tested = [*modules, workplace.terraform / "stack"]
    for module in (*tested, *environments):  # one after the other: Terraform's cache of providers bears no company
        plans.initialise(workplace, module)
    outcomes = list(
        _side_by_side(
            partial(layout, workplace),
            *(partial(planned, workplace, environment.name) for environment in environments),
            *(partial(examined, workplace, module) for module in tested),
            partial(linted, workplace, lint),
            partial(policed, workplace, policy),
        )
    )
    _summarise(outcomes, len(tested), time.monotonic() - began)
    return all(outcome.good for outcome in outcomes)


def layout(workplace: Workplace) -> Outcome:
    done = workplace.run(workplace.terraform, ["fmt", "-check", "-recursive", "-no-color"])
    return Outcome("layout", done.returncode == 0, "terraform fmt", done.stdout)


def examined(workplace: Workplace, module: Path) -> Outcome:
    valid = workplace.run(module, ["validate", "-no-color"])
    done = workplace.run(module, ["test", "-no-color"])
    counted = PASSED.search(done.stdout)
    passed = int(counted[1]) if counted else 0
    good = valid.returncode == 0 and done.returncode == 0 and passed > 0
    name = module.relative_to(workplace.terraform).as_posix()
    return Outcome(name, good, f"valid, {passed} tests", valid.stdout + done.stdout, tests=passed)


def planned(workplace: Workplace, environment: str) -> Outcome:
    name = f"environments/{environment}"
    try:
        plan = plans.plan(workplace, environment)
    except plans.RefusedError as error:
        return Outcome(name, good=False, covered="not planned", output=str(error))
    return Outcome(name, good=True, covered=f"{len(plan.resources)} resources planned", resources=len(plan.resources))


def linted(workplace: Workplace, program: str) -> Outcome:
    config = workplace.terraform / ".tflint.hcl"
    done = workplace.run(workplace.terraform, ["--recursive", f"--config={config}", "--no-color"], program)
    return Outcome("tflint", done.returncode == 0, "all rules of its terraform set", done.stdout)


def policed(workplace: Workplace, program: str) -> Outcome:
    arguments = ["--directory", ".", "--config-file", ".checkov.yaml", "--skip-download"]
    done = workplace.run(workplace.terraform, arguments, program)
    counted = CHECKED.search(done.stdout)
    good = done.returncode == 0 and counted is not None and int(counted[1]) > 0
    return Outcome("checkov", good, f"{counted[1] if counted else 0} checks passed", done.stdout)


def _side_by_side(*tasks: Callable[[], Outcome]) -> Iterator[Outcome]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for outcome in pool.map(lambda task: task(), tasks):
            print(f"{'ok    ' if outcome.good else 'failed'} {outcome.name:<26} {outcome.covered}", flush=True)
            if not outcome.good:
                print(outcome.output, flush=True)
            yield outcome


def _summarise(outcomes: list[Outcome], modules: int, seconds: float) -> None:
    failed = [outcome.name for outcome in outcomes if not outcome.good]
    print(f"{modules} modules, {sum(outcome.tests for outcome in outcomes)} tests, {seconds:.0f} s")
    for outcome in outcomes:
        if outcome.resources:
            print(f"{outcome.name}: {outcome.resources} resources")
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed")
