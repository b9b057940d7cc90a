"""What functions are started with, when they are called, and what they are built of."""

from __future__ import annotations

import base64
import json

import pytest

from scripts.terraform_checks.plans import Plan
from tests.terraform.picture import facts, functions, service, variables

# Declared, and left to the program's own default, or not needed inside Google.
LEFT_OUT = {
    "AUDIT_CALLBACK_TIMEOUT_SECONDS",
    "DATABASE_BUDGET_SECONDS",
    "DATABASE_URL",
    "GCS_PROJECT",
    "INTERNAL_API_KEY",
    "INTERNAL_API_KEY_PREVIOUS",
    "MAX_DOCUMENT_BYTES",
    "MAX_REQUEST_BYTES",
    "PAPERLESS_PUBLIC_URL",
    "PAPERLESS_TAG_IDS_MAP",
    "PAPERLESS_TIMEOUT_SECONDS",
    "PAPERLESS_UPLOAD_TIMEOUT_SECONDS",
    "PAPERLESS_WINDOW",
    "QDRANT_URL",
    "REDRIVES_PER_SECOND",
    "SERVICE_JWKS_URL",
    "SOURCE_UUID_TAG",
    "STORAGE_EMULATOR_HOST",
}


@pytest.mark.parametrize("name", sorted(facts()))
def test_a_function_is_started_with_what_it_declares(environment: Plan, name: str) -> None:
    declared = {*facts()[name]["env"], *facts()[name]["secrets"]}

    assert variables(environment, name) <= declared
    assert declared - variables(environment, name) <= LEFT_OUT


@pytest.mark.parametrize("name", sorted(facts()))
def test_what_is_declared_secret_is_never_in_plain_sight(environment: Plan, name: str) -> None:
    plain = set(service(environment, name)["environment_variables"])

    assert plain.isdisjoint(facts()[name]["secrets"])


@pytest.mark.parametrize("name", sorted(facts()))
def test_a_function_is_as_large_and_patient_as_its_file_says(environment: Plan, name: str) -> None:
    config, wanted = service(environment, name), facts()[name]

    assert config["available_memory"] == wanted["memory"]
    assert config["timeout_seconds"] == wanted["timeoutSeconds"]
    assert config["max_instance_request_concurrency"] == wanted["concurrency"]
    assert functions(environment)[name]["build_config"][0]["entry_point"] == wanted["entryPoint"]


def test_every_schedule_calls_a_function_that_exists_and_waits_for_it(environment: Plan) -> None:
    jobs = {job["name"]: job for job in environment.values("google_cloud_scheduler_job")}

    assert set(jobs) == {name for name, each in facts().items() if "schedule" in each}
    for name, job in jobs.items():
        wanted, target = facts()[name]["schedule"], job["http_target"][0]
        address = service(environment, name)["environment_variables"]["SERVICE_AUDIENCE"]
        assert job["schedule"] == wanted["cron"]
        assert target["uri"] == f"{address}{wanted['path']}"
        assert target["oidc_token"][0]["audience"] == address
        assert target["oidc_token"][0]["service_account_email"].startswith("scheduler@")
        assert json.loads(base64.b64decode(target["body"])) == wanted["body"]
        assert int(job["attempt_deadline"].removesuffix("s")) > service(environment, name)["timeout_seconds"]
        assert (job["retry_config"][0]["retry_count"], job["retry_config"][0]["min_backoff_duration"]) == (3, "30s")


def test_only_functions_with_a_database_are_in_its_network(environment: Plan) -> None:
    inside = {name for name in functions(environment) if service(environment, name)["direct_vpc_network_interface"]}

    assert inside == {name for name, each in facts().items() if "postgres" in each["extras"]}


def test_bytecode_is_compiled_so_that_it_outlives_the_build(environment: Plan) -> None:
    for each in functions(environment).values():
        assert "SOURCE_DATE_EPOCH" in each["build_config"][0]["environment_variables"]
