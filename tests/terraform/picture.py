"""Questions that tests ask of a plan."""

from __future__ import annotations

import json
from typing import Any

from scripts.terraform_checks.check import ROOT
from scripts.terraform_checks.plans import Plan


def facts() -> dict[str, dict[str, Any]]:
    """Every function.json, by the function's name."""
    return {file.parent.name: json.loads(file.read_text()) for file in ROOT.glob("functions/*/function.json")}


def functions(plan: Plan) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in plan.values("google_cloudfunctions2_function")}


def service(plan: Plan, name: str) -> dict[str, Any]:
    config: dict[str, Any] = functions(plan)[name]["service_config"][0]
    return config


def invokers(plan: Plan) -> dict[str, set[str]]:
    """Who may call each function, without the project in their names."""
    found: dict[str, set[str]] = {name: set() for name in functions(plan)}
    for grant in plan.values("google_cloud_run_v2_service_iam_member"):
        assert grant["role"] == "roles/run.invoker"
        found[grant["name"]].add(grant["member"].removeprefix("serviceAccount:").partition("@")[0])
    return found


def secret_readers(plan: Plan) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for grant in plan.values("google_secret_manager_secret_iam_member"):
        assert grant["role"] == "roles/secretmanager.secretAccessor"
        found.setdefault(grant["secret_id"], set()).add(
            grant["member"].removeprefix("serviceAccount:").partition("@")[0]
        )
    return found


def variables(plan: Plan, name: str) -> set[str]:
    """All variables a function is started with, but the one the platform adds."""
    config = service(plan, name)
    secret = {each["key"] for each in config["secret_environment_variables"]}
    return (set(config["environment_variables"]) | secret) - {"LOG_EXECUTION_ID"}
