"""The parts that several functions choose alike: their buckets and their database, from the settings."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from shared.config import Settings
from shared.ports import Ledger, ObjectStore, OperatorLedger


class QueueSettings(Settings):
    """Which service holds the buckets, and the name of the queue's."""

    backend: Literal["s3", "gcs"] = Field("s3", alias="QUEUE_BACKEND", description="s3 (also R2), or gcs")
    queue_bucket: str = Field(alias="AWS_S3_ARCHIVE_BUCKET", description="the bucket of the queue")


class DeadLetterSettings(Settings):
    """The bucket of the dead letters, in the same service as the queue."""

    bucket: str = Field(alias="AWS_S3_DLQ_BUCKET", description="the bucket of the dead letters")


def buckets(backend: str, *names: str) -> tuple[ObjectStore, ...]:
    """Stores of one service, on one connection; only the chosen SDK is imported."""
    if backend == "gcs":
        from shared.adapters import gcs

        google = gcs.connect(gcs.GCSSettings.from_env())
        return tuple(gcs.GCSStore(google, name) for name in names)
    from shared.adapters import s3

    client = s3.connect(s3.S3Settings.from_env())
    return tuple(s3.S3Store(client, name) for name in names)


def ledger(seconds: float) -> Ledger:
    """The audit rows; an operation gives up after so many seconds, connecting included."""
    from shared.adapters.postgres.connection import PostgresSettings
    from shared.adapters.postgres.database import Database
    from shared.adapters.postgres.ledger import PostgresLedger

    return PostgresLedger(Database.from_settings(PostgresSettings.from_env()), seconds)


def operator_ledger(seconds: float) -> OperatorLedger:
    """The same with what operators need."""
    from shared.adapters.postgres.connection import PostgresSettings
    from shared.adapters.postgres.database import Database
    from shared.adapters.postgres.operator_ledger import PostgresOperatorLedger

    return PostgresOperatorLedger(Database.from_settings(PostgresSettings.from_env()), seconds)
