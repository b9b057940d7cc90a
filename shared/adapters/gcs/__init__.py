"""The object store on Google Cloud Storage; an object's generation is its version."""

from shared.adapters.gcs.connection import Connection, GCSSettings, connect
from shared.adapters.gcs.store import PAUSES, GCSStore

__all__ = ["PAUSES", "Connection", "GCSSettings", "GCSStore", "connect"]
