"""What the tests of several adapters share: archives on Paperless that are closed after the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from shared.adapters.paperless.archive import PaperlessArchive
from shared.adapters.paperless.transport import PaperlessSettings
from tests.stand_ins.paperless.options import Account

ADMIN = Account("admin", "admin-token", "superuser")
MEMBER = Account("archivist", "member-token", "member")


@pytest.fixture
def connect() -> Iterator[Callable[..., PaperlessArchive]]:
    """Archives at an address, with further settings by their variables."""
    with ExitStack() as on_exit:

        def archive(url: str, **settings: str) -> PaperlessArchive:
            env = {"PAPERLESS_URL": url, "PAPERLESS_API_TOKEN": ADMIN.token, **settings}
            return on_exit.enter_context(closing(PaperlessArchive(PaperlessSettings.from_env(env))))

        yield archive
