"""Logging as a function sets it up, undone after each test."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import pytest

from shared.observability.setup import QUIET, LogSettings, configure_logging

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def root() -> Iterator[logging.Logger]:
    logger = logging.getLogger()
    handlers, level = list(logger.handlers), logger.level
    levels = {name: logging.getLogger(name).level for name in QUIET}
    yield logger
    logger.handlers[:] = handlers
    logger.setLevel(level)
    for name, before in levels.items():
        logging.getLogger(name).setLevel(before)


@pytest.fixture
def written(root: logging.Logger, capsys: pytest.CaptureFixture[str]) -> Callable[[], list[dict[str, object]]]:
    """The JSON lines on standard output since the last look."""
    configure_logging(LogSettings(google_cloud_project="a-project"))
    return lambda: [json.loads(line) for line in capsys.readouterr().out.splitlines()]
