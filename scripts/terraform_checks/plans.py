"""A plan of one environment, as Terraform itself describes it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.terraform_checks.errors import CannotCheckError
from scripts.terraform_checks.workplace import Workplace


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource that would be made; what is not known before apply is missing from its values."""

    address: str
    type: str
    values: dict[str, Any]  # whatever the provider's schema has


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be made of nothing."""

    resources: tuple[Resource, ...]
    text: str

    def of(self, kind: str) -> list[Resource]:
        return [resource for resource in self.resources if resource.type == kind]

    def values(self, kind: str) -> list[dict[str, Any]]:
        return [resource.values for resource in self.of(kind)]


class RefusedError(Exception):
    """Terraform refused to plan; the message is its own, on one line."""


def initialise(workplace: Workplace, folder: Path, *options: str) -> None:
    done = workplace.run(folder, ["init", "-no-color", *options])
    if done.returncode != 0:
        raise CannotCheckError(f"{folder.name}: terraform init failed; is there a network, or --mirror?\n{done.stdout}")


def plan(workplace: Workplace, environment: str, *options: str) -> Plan:
    folder = workplace.terraform / "environments" / environment
    file = f"{environment}.tfplan"
    done = workplace.run(folder, ["plan", "-no-color", "-lock=false", f"-out={file}", *options])
    if done.returncode != 0:
        raise RefusedError(" ".join(done.stdout[done.stdout.find("Error:") :].split()))
    text = workplace.run(folder, ["show", "-json", file]).stdout
    return Plan(tuple(_resources(json.loads(text))), text)


def _resources(tree: dict[str, Any]) -> list[Resource]:
    return [Resource(each["address"], each["type"], each["change"]["after"]) for each in tree["resource_changes"]]
