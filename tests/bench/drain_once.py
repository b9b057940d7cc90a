"""One run of the drain in a process of its own, with the function's own parts: delivers so many, prints the figures."""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import TYPE_CHECKING, cast
from uuid import uuid4

from scripts.local.addresses import DLQ_BUCKET, QUEUE_BUCKET
from shared.adapters.audit_api import AuditApiSettings, HttpAuditApi
from shared.adapters.clock import SystemClock
from shared.adapters.paperless.archive import PaperlessArchive
from shared.adapters.paperless.transport import PaperlessSettings
from shared.adapters.s3 import S3Settings, S3Store, connect
from shared.adapters.workers import ThreadWorkers
from shared.domain.drain import DrainOptions, Ending
from shared.services.archive_drain import drain
from shared.services.drain_run import DrainParts
from tests.bench.counting import FirstFew, Tally

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


def main() -> None:
    tally = Tally(connect(S3Settings.from_env()))
    client = cast("S3Client", tally)
    parts = DrainParts(
        queue=S3Store(client, QUEUE_BUCKET),
        dead_letters=S3Store(client, DLQ_BUCKET),
        archive=PaperlessArchive(PaperlessSettings.from_env()),
        audit=HttpAuditApi(AuditApiSettings.from_env()),
        clock=SystemClock(),
        workers=FirstFew(ThreadWorkers(), int(sys.argv[1])),
        nonce=lambda: uuid4().hex,
    )
    began = time.perf_counter()
    report = drain(parts, DrainOptions())
    figures = {
        "archived": report.endings[Ending.ARCHIVED],
        "seconds": time.perf_counter() - began,
        "store_requests": tally.requests,
        "resident_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
        "report": report.as_json(),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
