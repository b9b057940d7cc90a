"""Adding a function is adding a folder; a folder that is wrong is refused by its name."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import Any

import pytest

from scripts.terraform_checks.plans import RefusedError, plan
from scripts.terraform_checks.workplace import Workplace
from tests.terraform.picture import functions, invokers, secret_readers, service, variables

FACTS: dict[str, Any] = {
    "entryPoint": "night_watch_function",
    "description": "Looks at everything once a night.",
    "extras": ["s3", "postgres", "http", "jwt"],
    "memory": "512Mi",
    "timeoutSeconds": 600,
    "concurrency": 1,
    "invokers": ["scheduler", "operators"],
    "schedule": {"cron": "0 3 * * *", "path": "/look", "body": {"deep": True}, "localSeconds": 60},
    "env": ["AWS_S3_ARCHIVE_BUCKET", "AWS_ACCESS_KEY_ID", "DATABASE_USER", "AUDIT_CALLBACK_URL", "INVOKER_EMAILS"],
    "secrets": ["AWS_SECRET_ACCESS_KEY", "PAPERLESS_API_TOKEN"],
}


@pytest.fixture(scope="module")
def other_workplace(new_workplace: Callable[[], Workplace]) -> Workplace:
    """A copy to change, apart from the one that other tests read."""
    return new_workplace()


@pytest.fixture
def with_function(other_workplace: Workplace) -> Callable[[str], Workplace]:
    """Adds one function, with this text in its function.json, in place of the one before."""

    def added(text: str) -> Workplace:
        folder = other_workplace.root / "functions" / "night-watch"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "main.py").write_text("")
        (folder / "function.json").write_text(text)
        shutil.copy(
            other_workplace.root / "dist" / "archiver-drain.zip", other_workplace.root / "dist" / "night-watch.zip"
        )
        return other_workplace

    return added


def test_a_new_folder_is_deployed_with_no_other_file_touched(with_function: Callable[[str], Workplace]) -> None:
    planned = plan(with_function(json.dumps(FACTS)), "staging")

    assert service(planned, "night-watch")["service_account_email"].startswith("night-watch@")
    assert invokers(planned)["night-watch"] == {"scheduler", "operators"}
    assert variables(planned, "night-watch") == {*FACTS["env"], *FACTS["secrets"]}
    assert {name for name, who in secret_readers(planned).items() if "night-watch" in who} == {
        "bilko-night-watch-r2-access-key-id",
        "bilko-night-watch-r2-secret-access-key",
        "bilko-archiver-paperless-api-token",
    }
    (job,) = [job for job in planned.values("google_cloud_scheduler_job") if job["name"] == "night-watch"]
    assert (job["schedule"], job["attempt_deadline"]) == ("0 3 * * *", "630s")
    assert "night-watch@example-archive-staging.iam" in {user["name"] for user in planned.values("google_sql_user")}
    assert len(functions(planned)) == len(list((with_function(json.dumps(FACTS)).root / "functions").iterdir()))


def test_a_variable_that_nothing_provides_is_refused_by_its_name(with_function: Callable[[str], Workplace]) -> None:
    workplace = with_function(json.dumps({**FACTS, "env": [*FACTS["env"], "MOON_PHASE"]}))

    with pytest.raises(RefusedError, match=r"night-watch/function\.json names MOON_PHASE, which nothing provides"):
        plan(workplace, "staging")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", r"night-watch/function\.json must be there, and be a JSON object"),
        (json.dumps({**FACTS, "public": True}), r"night-watch/function\.json must not be public"),
        (json.dumps({**FACTS, "memoy": "1Gi"}), r"night-watch/function\.json has keys that nothing reads: memoy"),
        (json.dumps({**FACTS, "invokers": ["anybody"]}), r"night-watch/function\.json has invokers that do not exist"),
        (json.dumps({**FACTS, "timeoutSeconds": 1800}), r"night-watch/function\.json is scheduled and may take 1770"),
    ],
)
def test_a_wrong_function_json_is_refused_with_a_sentence(
    with_function: Callable[[str], Workplace], text: str, sentence: str
) -> None:
    with pytest.raises(RefusedError, match=sentence):
        plan(with_function(text), "staging")


def test_a_package_that_was_not_built_is_asked_for(with_function: Callable[[str], Workplace]) -> None:
    workplace = with_function(json.dumps(FACTS))
    (workplace.root / "dist" / "night-watch.zip").unlink()

    with pytest.raises(RefusedError, match="run scripts/build first"):
        plan(workplace, "staging")
