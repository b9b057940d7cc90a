"""A function that is told too little, or something wrong, refuses to start and says what it expects."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from scripts.local.function_facts import read
from scripts.local.functions import FOLDER, ROOT
from shared.adapters import ed25519
from shared.domain.errors import ConfigError
from tests.functions.hosting import loaded

WHOLE = {
    "AWS_S3_ENDPOINT": "http://127.0.0.1:1",
    "AWS_ACCESS_KEY_ID": "id",
    "AWS_SECRET_ACCESS_KEY": "a-secret-of-the-store",
    "AWS_S3_ARCHIVE_BUCKET": "queue",
    "AWS_S3_DLQ_BUCKET": "dlq",
    "DATABASE_URL": "postgresql://user:a-secret-of-the-database@127.0.0.1:1/name",
    "PAPERLESS_URL": "http://127.0.0.1:1",
    "PAPERLESS_API_TOKEN": "a-secret-of-paperless",
    "INTERNAL_API_KEY": "a-secret-between-services",
    "AUDIT_CALLBACK_URL": "http://127.0.0.1:1",
    "ARCHIVER_DRAIN_URL": "http://127.0.0.1:1",
    "RECEIPT_SIGNING_KEY": ed25519.generate(),
}
START = "import sys; from functions_framework import create_app; create_app(sys.argv[1], sys.argv[2])"


FUNCTIONS = ["archive-write", "archiver-drain", "audit-callback", "dlq-alert"]


def start(function: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """The function in a process of its own, as far as it starts; an empty variable is none."""
    facts = read(FOLDER / function)
    command = [sys.executable, "-c", START, facts.entry_point, str(facts.source)]
    env = {"PATH": os.environ["PATH"], **WHOLE, **changes}
    return subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("function", "variable"),
    [
        ("archive-write", "AWS_S3_ARCHIVE_BUCKET"),
        ("archiver-drain", "PAPERLESS_API_TOKEN"),
        ("audit-callback", "RECEIPT_SIGNING_KEY"),
        ("dlq-alert", "ARCHIVER_DRAIN_URL"),
    ],
)
def test_a_missing_setting_ends_the_process_with_one_line_that_names_it(function: str, variable: str) -> None:
    ended = start(function, **{variable: ""})

    assert ended.returncode != 0
    assert (
        ended.stderr.strip().splitlines()[-1].startswith(f"shared.domain.errors.ConfigError: {variable} is missing: ")
    )
    assert "a-secret" not in ended.stdout + ended.stderr


def test_a_wrong_setting_ends_the_process_without_telling_a_secret() -> None:
    ended = start("audit-callback", RECEIPT_SIGNING_KEY="a-secret-that-is-no-key")

    assert ended.returncode != 0
    assert "RECEIPT_SIGNING_KEY is wrong" in ended.stderr
    assert "a-secret" not in ended.stdout + ended.stderr


@pytest.mark.parametrize("function", FUNCTIONS)
def test_with_every_setting_it_starts(function: str) -> None:
    with loaded(function, WHOLE) as app:
        assert app.test_client().get("/nowhere").status_code == 404


@pytest.mark.parametrize(
    ("function", "variable", "value", "says"),
    [
        ("archive-write", "AWS_S3_ARCHIVE_BUCKET", "", "is missing: the bucket of the queue"),
        ("archive-write", "AWS_S3_ENDPOINT", "", "is missing: the S3 service's address"),
        ("archive-write", "AWS_S3_ENDPOINT", "r2.example", "is wrong"),
        ("archive-write", "QUEUE_BACKEND", "azure", "is wrong (Input should be 's3' or 'gcs'): s3 (also R2), or gcs"),
        ("archive-write", "DATABASE_URL", "", "or else CLOUD_SQL_INSTANCE"),
        ("archive-write", "DATABASE_URL", "mysql://user@host/name", "is wrong"),
        ("archive-write", "MAX_DOCUMENT_BYTES", "many", "is wrong"),
        ("archive-write", "RECEIPT_PUBLIC_KEYS", "{", "is wrong"),
        ("archive-write", "INTERNAL_API_KEY", "", "or SERVICE_AUDIENCE is missing"),
        ("archive-write", "INTERNAL_API_KEY", "short", "a shared secret of 16 characters or more"),
        ("archive-write", "LOG_LEVEL", "LOUD", "the least severity that is written"),
        ("archiver-drain", "PAPERLESS_URL", "", "is missing: the address of Paperless"),
        ("archiver-drain", "PAPERLESS_API_TOKEN", "", "is missing: an API token"),
        ("archiver-drain", "AWS_S3_DLQ_BUCKET", "", "is missing: the bucket of the dead letters"),
        ("archiver-drain", "AUDIT_CALLBACK_URL", "", "is missing: the address of audit-callback"),
        ("archiver-drain", "PAPERLESS_TAG_IDS_MAP", "invoice=12", "is wrong"),
        ("archiver-drain", "SOURCE_PREFIX", "Bilko!", "is wrong"),
        ("archiver-drain", "SOURCE_UUID_TAG", "perhaps", "is wrong"),
        ("audit-callback", "RECEIPT_SIGNING_KEY", "", "is missing: 32 random bytes in base64"),
        ("audit-callback", "RECEIPT_SIGNING_KEY", "c2hvcnQ=", "it has 5 bytes instead of 32"),
    ],
)
def test_a_bad_setting_is_refused_by_its_name_and_by_what_is_expected(
    function: str, variable: str, value: str, says: str
) -> None:
    with pytest.raises(ConfigError) as refused, loaded(function, {**WHOLE, variable: value}):
        pass

    assert variable in refused.value.message
    assert says in refused.value.message
    assert "\n" not in refused.value.message
