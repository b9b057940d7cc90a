"""Loads a function into this process as functions-framework does, with the variables it is given."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from threading import Thread
from types import ModuleType
from typing import TYPE_CHECKING

import functions_framework
import pytest
from werkzeug.serving import make_server

from scripts.local.function_facts import read
from scripts.local.functions import FOLDER

if TYPE_CHECKING:
    from flask import Flask

# The framework ships without types; here is the one of the call we make.
create_app: Callable[[str, str], Flask] = functions_framework.create_app


def _close(name: str, main: ModuleType) -> None:
    """A function keeps its connections until its process ends; here they end with the test."""
    if name == "archive-write":
        main.parts.ledger.close()
    elif name == "audit-callback":
        main.ledger.close()
    elif name == "dlq-alert":
        main.audit.close()
        main.drain.close()
    else:
        main.parts.archive.close()
        main.parts.audit.close()


@contextmanager
def loaded(name: str, env: Mapping[str, str]) -> Iterator[Flask]:
    """The function as a WSGI application; what loading it changes in this process is changed back."""
    app, main = _load(name, env)
    try:
        yield app
    finally:
        _close(name, main)


@contextmanager
def served(name: str, env: Mapping[str, str]) -> Iterator[str]:
    """The function behind an address; one thread answers, and ends what it opened."""
    app, main = _load(name, env)
    server = make_server("127.0.0.1", 0, app)

    def serve() -> None:
        server.serve_forever(0.01)
        _close(name, main)

    thread = Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _load(name: str, env: Mapping[str, str]) -> tuple[Flask, ModuleType]:
    facts = read(FOLDER / name)
    with _undone(), pytest.MonkeyPatch.context() as patch:
        for variable, value in env.items():
            patch.setenv(variable, value)
        return create_app(facts.entry_point, str(facts.source)), sys.modules["main"]


@contextmanager
def _undone() -> Iterator[None]:
    """The framework adds to the path and the environment, and our functions take the root logger over."""
    root = logging.getLogger()
    with ExitStack() as undo:
        undo.callback(setattr, sys, "path", list(sys.path))
        undo.callback(root.setLevel, root.level)
        undo.callback(setattr, root, "handlers", list(root.handlers))
        for variable in ("FUNCTION_TARGET", "FUNCTION_SIGNATURE_TYPE"):
            undo.callback(os.environ.pop, variable, None)
        yield
