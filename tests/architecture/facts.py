"""What each function declares in function.json, and what its source says it needs."""

from __future__ import annotations

import ast
import importlib
import json
from pathlib import Path
from typing import Any, get_args

from pydantic import SecretStr

from shared.config import Settings
from tests.architecture.import_graph import ROOT, reach

FUNCTIONS = sorted(path.parent for path in (ROOT / "functions").glob("*/main.py"))

# The extra of pyproject.toml by which each SDK comes.
EXTRAS = {
    "boto3": "s3",
    "botocore": "s3",
    "cryptography": "signing",
    "google.cloud.logging": "logging",
    "google.cloud.sql": "cloudsql",
    "google.cloud.storage": "gcs",
    "httpx": "http",
    "jwt": "jwt",
    "pg8000": "postgres",
}
# Of every function, or of whichever extra of Google's is there.
COMES_ALONG = (
    *("flask", "functions_framework", "pydantic", "pydantic_core", "typing_extensions", "werkzeug"),
    *("google.api_core", "google.auth", "requests", "urllib3"),
)


def declared(function: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((function / "function.json").read_text())
    return facts


def extra_of(module: str) -> str | None:
    """None for what comes along; an unknown library is an error that asks for its extra."""
    for library, extra in EXTRAS.items():
        if f"{module}.".startswith(f"{library}."):
            return extra
    if any(f"{module}.".startswith(f"{library}.") for library in COMES_ALONG):
        return None
    raise LookupError(f"{module} is imported, and no extra of pyproject.toml is known to bring it")


def settings_of(function: Path) -> list[type[Settings]]:
    """The classes of settings that the function loads, in the order of their names."""
    return [_class(function / "main.py", name) for name in sorted(reach(function / "main.py").settings)]


def is_secret(settings: type[Settings], field: str) -> bool:
    annotation = settings.model_fields[field].annotation
    return SecretStr in (annotation, *get_args(annotation))


def variables(classes: list[type[Settings]], *, secret: bool) -> list[str]:
    found = {
        field.alias or name.upper()
        for settings in classes
        for name, field in settings.model_fields.items()
        if is_secret(settings, name) == secret
    }
    return sorted(found)


def _class(main: Path, dotted: str) -> type[Settings]:
    module, _, name = dotted.rpartition(".")
    found = _classes_of(main)[name] if module == "main" else getattr(importlib.import_module(module), name)
    assert isinstance(found, type)
    assert issubclass(found, Settings)
    return found


def _classes_of(main: Path) -> dict[str, Any]:
    """The classes of a main.py, without running the rest of it: that would connect to the real parts."""
    tree = ast.parse(main.read_text("utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef)]
    names: dict[str, Any] = {"__name__": f"functions.{main.parent.name.replace('-', '_')}"}
    exec(compile(tree, str(main), "exec"), names)
    return names
