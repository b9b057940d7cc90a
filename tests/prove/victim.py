"""A real process on real parts that kills itself, with SIGKILL, at a chosen effect: `python -m tests.prove.victim`."""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from shared import compose
from shared.adapters.ed25519 import Ed25519Signer, SigningSettings
from shared.adapters.paperless.archive import PaperlessArchive
from shared.adapters.paperless.transport import PaperlessSettings
from shared.domain.drain import DrainOptions
from shared.domain.errors import ArchiveQueueFailure
from shared.services.archive_drain import drain
from shared.services.archive_write import WriteParts, archive
from shared.services.drain_run import DrainParts
from shared.services.following import LONGEST_POLL
from tests.prove.effects import Effects, Side
from tests.prove.parts import DirectAudit, SerialWorkers
from tests.prove.site import Letter

ROUNDS = 8
MINUTES_BETWEEN = 6


@dataclass(slots=True)
class FastClock:
    """The machine's time, and the minutes skipped on top of it; Paperless needs its moments for real."""

    ahead: timedelta = field(default_factory=timedelta)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def sleep(self, seconds: float) -> None:
        if seconds <= LONGEST_POLL:
            time.sleep(seconds)
        else:
            self.ahead += timedelta(seconds=seconds)


def main() -> int:
    """Send the letter and drain until it has left the queue; prints how many effects that took."""
    logging.disable(logging.CRITICAL)
    asked = json.loads(sys.argv[1])
    effects = Effects(asked["point"], Side(asked["side"]), kill=lambda: os.kill(os.getpid(), signal.SIGKILL))
    letter = Letter(asked["name"], asked["name"], asked["name"])
    queue, dead = (effects.numbered("store", store) for store in compose.buckets("s3", asked["queue"], asked["dead"]))
    ledger = effects.numbered("ledger", compose.ledger(10.0))
    clock, signer = FastClock(timedelta(minutes=asked["minutes"])), Ed25519Signer(SigningSettings.from_env())
    parts = DrainParts(
        queue=queue,
        dead_letters=dead,
        archive=effects.numbered("archive", PaperlessArchive(PaperlessSettings.from_env())),
        audit=effects.numbered("audit", DirectAudit(ledger, signer, clock)),
        clock=clock,
        workers=SerialWorkers(),
        nonce=lambda: uuid4().hex,
    )
    writing = WriteParts(queue, ledger, clock, parts.nonce)
    for _ in range(ROUNDS):
        # A 503 says that the same bytes are just being finished; an application asks again later.
        with suppress(ArchiveQueueFailure):
            archive(writing, letter.submission, io.BytesIO(letter.content), None)
        drain(parts, DrainOptions())
        if queue.stat(letter.key.sidecar) is None:
            break
        clock.sleep(60.0 * MINUTES_BETWEEN)
    print(len(effects.names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
