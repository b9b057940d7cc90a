"""What a cold start loads: nothing heavy for a function that only routes and logs."""

from __future__ import annotations

import json
import os
import subprocess
import sys

HEAVY = [
    "pydantic_settings",
    "httpx",
    "jwt",
    "cryptography",
    "google.cloud.logging",
    "google.auth",
    "google.api_core",
    "grpc",
    "boto3",
]


def loaded_by(code: str, **env: str) -> list[str]:
    check = f"{code}\nimport json, sys\nprint(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, timeout=30, check=True, env={**os.environ, **env}
    )
    names: list[str] = json.loads(done.stdout.splitlines()[-1])
    return names


def test_routing_and_logging_load_nothing_heavy() -> None:
    code = """
import shared.http.router, shared.http.auth, shared.http.requests, shared.http.forms, shared.http.health
import shared.observability.setup, shared.observability.metrics
shared.observability.setup.configure_logging()
"""

    assert loaded_by(code) == []


def test_an_internal_key_is_checked_without_a_token_library() -> None:
    code = """
from flask import Request
from werkzeug.test import EnvironBuilder
from shared.http.access import SERVICE
from shared.http.auth import Authenticator, ServiceAuthSettings
settings = ServiceAuthSettings.from_env({"INTERNAL_API_KEY": "a key of some length"})
request = Request(EnvironBuilder(headers={"X-Internal-Api-Key": "a key of some length"}).get_environ())
Authenticator(settings)(request, SERVICE)
"""

    assert loaded_by(code) == []


def test_the_cloud_client_is_loaded_only_where_it_is_asked_for() -> None:
    code = """
from shared.observability.setup import LogSettings, configure_logging
try:
    configure_logging(LogSettings.from_env({"LOG_BACKEND": "google-cloud", "GOOGLE_CLOUD_PROJECT": "p"}))
except Exception as exc:
    assert "redentials" in str(exc), exc
"""

    assert "google.cloud.logging" in loaded_by(code, NO_GCE_CHECK="true")


def test_a_router_and_its_log_do_without_pydantic() -> None:
    loaded = loaded_by(
        "import shared.http.router, shared.observability.logs, sys; assert 'pydantic' not in sys.modules"
    )

    assert loaded == []
