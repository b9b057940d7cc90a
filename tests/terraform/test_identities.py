"""Who runs as whom, who may call whom, who reads what."""

from __future__ import annotations

from scripts.terraform_checks.plans import Plan
from tests.terraform.picture import facts, functions, invokers, secret_readers, service


def test_every_function_runs_as_an_account_of_its_own(environment: Plan) -> None:
    accounts = {
        name: each["service_config"][0]["service_account_email"] for name, each in functions(environment).items()
    }
    made = {each["account_id"] for each in environment.values("google_service_account")}

    assert set(accounts) == set(facts())
    assert all(email.startswith(f"{name}@") for name, email in accounts.items())
    assert set(accounts) < made


def test_those_may_call_who_are_named_as_invokers_and_nobody_else(environment: Plan) -> None:
    expected = {name: set(each["invokers"]) for name, each in facts().items()}

    assert invokers(environment) == expected


def test_nothing_is_public_but_the_console(environment: Plan) -> None:
    public = [
        resource.address
        for resource in environment.resources
        if "allUsers" in str(resource.values) or "allAuthenticatedUsers" in str(resource.values)
    ]

    assert [address for address in public if 'function["console"]' not in address] == []


def test_the_function_is_told_the_same_callers_that_iam_lets_through(environment: Plan) -> None:
    for name, callers in invokers(environment).items():
        told = service(environment, name)["environment_variables"]["INVOKER_EMAILS"].split(",")

        assert {email.partition("@")[0] for email in told} == callers


def test_a_secret_is_read_by_the_functions_that_use_it_and_no_other(environment: Plan) -> None:
    used: dict[str, set[str]] = {}
    for name in functions(environment):
        for each in service(environment, name)["secret_environment_variables"]:
            used.setdefault(each["secret"], set()).add(name)

    assert secret_readers(environment) == used
    assert set(used) == {each["secret_id"] for each in environment.values("google_secret_manager_secret")}


def test_secrets_have_the_names_of_the_specification(environment: Plan) -> None:
    assert {
        "bilko-archiver-r2-access-key-id",
        "bilko-archiver-r2-secret-access-key",
        "bilko-archiver-cf-access-client-id",
        "bilko-archiver-cf-access-client-secret",
    } <= set(secret_readers(environment))


def test_the_drains_credentials_are_read_by_the_drain_alone(environment: Plan) -> None:
    of_the_drain = {
        name: who for name, who in secret_readers(environment).items() if name.startswith("bilko-archiver-")
    }

    assert set(map(frozenset, of_the_drain.values())) == {frozenset({"archiver-drain"})}


def test_no_role_is_given_for_the_whole_project_without_a_condition_but_to_write_logs(environment: Plan) -> None:
    unconditional = {
        (each["role"], each["member"].partition("@")[0])
        for each in environment.values("google_project_iam_member")
        if not each["condition"]
    }

    assert unconditional == {("roles/logging.logWriter", "serviceAccount:function-builds")}


def test_no_secret_is_in_the_plan(environment: Plan) -> None:
    assert "swordfish" not in environment.text
