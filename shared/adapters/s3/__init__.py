"""The object store on anything that speaks S3: Cloudflare R2, Amazon S3, SeaweedFS."""

from shared.adapters.s3.connection import S3Settings, connect
from shared.adapters.s3.store import PAUSES, S3Store

__all__ = ["PAUSES", "S3Settings", "S3Store", "connect"]
