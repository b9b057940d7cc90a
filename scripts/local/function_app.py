"""All functions as one WSGI application: `/<function-name>/...` reaches a function as its own `/...`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import functions_framework
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from scripts.local.function_facts import FunctionFacts, read_all
from scripts.local.functions import FOLDER_VARIABLE

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from flask import Flask

# The framework ships without types; here is the one of the call we make.
create_app: Callable[[str, str], Flask] = functions_framework.create_app


def application() -> WSGIApplication:
    found = read_all(Path(os.environ[FOLDER_VARIABLE]))
    return DispatcherMiddleware(
        index(found), {f"/{facts.name}": create_app(facts.entry_point, str(facts.source)) for facts in found}
    )


def index(found: Sequence[FunctionFacts]) -> WSGIApplication:
    """What answers outside of every function: the list of them at the root."""
    body = json.dumps({"functions": [facts.name for facts in found]}).encode()

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        known = environ.get("PATH_INFO") in {"", "/"}
        start_response("200 OK" if known else "404 Not Found", [("Content-Type", "application/json")])
        return [body]

    return answer
