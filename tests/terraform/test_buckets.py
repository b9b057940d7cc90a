"""What is kept, for how long, and which token opens it."""

from __future__ import annotations

import json

from scripts.terraform_checks.plans import Plan, plan
from scripts.terraform_checks.workplace import Workplace

DAY = 24 * 60 * 60


def expirations(environment: Plan) -> dict[str, dict[str, int]]:
    """By the end of the bucket's name: which prefix is deleted after how many seconds."""
    return {
        bucket["bucket_name"].rpartition("-")[2]: {
            rule["conditions"]["prefix"]: rule["delete_objects_transition"]["condition"]["max_age"]
            for rule in bucket["rules"]
            if rule["delete_objects_transition"]
        }
        for bucket in environment.values("cloudflare_r2_bucket_lifecycle")
    }


def test_the_queue_expires_unfinished_uploads_and_never_a_document(environment: Plan) -> None:
    assert expirations(environment)["queue"] == {"uploads/": 2 * DAY}


def test_dead_letters_expire_after_seven_days_and_what_is_kept_never(environment: Plan) -> None:
    assert expirations(environment)["dlq"] == {"org/": 7 * DAY}


def test_abandoned_uploads_still_end(environment: Plan) -> None:
    for bucket in environment.values("cloudflare_r2_bucket_lifecycle"):
        assert [rule["id"] for rule in bucket["rules"] if rule["abort_multipart_uploads_transition"]] == [
            "Default Multipart Abort Rule"
        ]


def test_a_token_opens_the_buckets_its_function_uses(environment: Plan) -> None:
    opened = {
        token["name"].split()[1]: {
            resource.rpartition("-")[2] for resource in json.loads(token["policies"][0]["resources"])
        }
        for token in environment.values("cloudflare_account_token")
    }

    assert opened["archive-write"] == {"queue"}
    assert opened["archiver-drain"] == {"queue", "dlq"}
    assert "audit-callback" not in opened


def test_documents_stay_in_the_european_union(environment: Plan) -> None:
    assert {bucket["jurisdiction"] for bucket in environment.values("cloudflare_r2_bucket")} == {"eu"}


def test_the_queue_on_cloud_storage_keeps_nothing_that_was_deleted(workplace: Workplace) -> None:
    main = workplace.terraform / "environments" / "staging" / "gcs_override.tf"
    main.write_text('module "stack" {\n  queue_backend = "gcs"\n}\n')
    try:
        planned = plan(workplace, "staging")
    finally:
        main.unlink()

    queue = [
        bucket
        for bucket in planned.values("google_storage_bucket")
        if "archive" in bucket["name"].split("staging-")[-1]
    ]
    assert len(queue) == 2
    assert {bucket["soft_delete_policy"][0]["retention_duration_seconds"] for bucket in queue} == {0}
    assert planned.of("cloudflare_r2_bucket") == []
    grants = {
        (each["bucket"], each["member"].partition("@")[0])
        for each in planned.values("google_storage_bucket_iam_member")
    }
    assert ("bilko-staging-archive-dlq", "serviceAccount:archive-write") not in grants
    assert ("bilko-staging-archive-queue", "serviceAccount:archive-write") in grants
