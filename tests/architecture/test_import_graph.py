"""The reader of imports sees what runs, and only that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.import_graph import reach


@pytest.mark.parametrize(
    ("source", "needed"),
    [
        ("import boto3", True),
        ("from boto3.session import Session", True),
        ("def later():\n    import boto3\nlater()", True),
        ("class A:\n    def later(self):\n        import boto3", True),
        ("import importlib\nimportlib.import_module('boto3')", True),
        ("import importlib\nNAME = 'boto3'\ndef later():\n    importlib.import_module(NAME)", True),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import boto3", False),
        ("try:\n    import boto3\nexcept ModuleNotFoundError:\n    raise SystemExit from None", False),
        ("# import boto3", False),
    ],
)
def test_a_library_is_seen_where_it_can_be_imported(tmp_path: Path, source: str, *, needed: bool) -> None:
    main = tmp_path / "main.py"
    main.write_text(source)

    assert any(name.split(".")[0] == "boto3" for name in reach(main).external) == needed


@pytest.mark.parametrize(("use", "reached"), [("compose.ledger(1)", True), ("compose.buckets('s3', 'a')", False)])
def test_what_nobody_calls_is_not_followed(tmp_path: Path, use: str, *, reached: bool) -> None:
    main = tmp_path / "main.py"
    main.write_text(f"from shared import compose\n{use}")

    assert ("shared.adapters.postgres.ledger" in reach(main).ours) == reached


def test_settings_are_named_by_where_they_were_imported_from(tmp_path: Path) -> None:
    main = tmp_path / "main.py"
    main.write_text("from shared.http.auth import ServiceAuthSettings as Auth\nAuth.from_env()")

    assert reach(main).settings == {"shared.http.auth.ServiceAuthSettings"}
