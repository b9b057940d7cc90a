"""Functions small enough to write down in a test."""

from __future__ import annotations

import json
from pathlib import Path

ECHO = """
import json
import os

def {handler}(request):
    return json.dumps({{"function": "{handler}", "path": request.path, "variables": sorted(os.environ)}})
"""


def write_function(parent: Path, name: str, *, code: str | None = None, **facts: object) -> None:
    handler = name.replace("-", "_")
    folder = parent / name
    folder.mkdir(parents=True)
    (folder / "main.py").write_text(code if code is not None else ECHO.format(handler=handler))
    (folder / "function.json").write_text(json.dumps({"entryPoint": handler, **facts}))
