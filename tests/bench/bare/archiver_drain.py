"""archiver-drain's libraries and SDK calls, for the cold start: the listings that find an empty queue."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, cast

import functions_framework
import httpx
from botocore.config import Config
from botocore.session import get_session
from flask import Request, Response
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class Run(BaseModel):
    """The body."""

    model_config = ConfigDict(alias_generator=to_camel)

    budget_seconds: float = 240.0


BUCKET = os.environ["AWS_S3_ARCHIVE_BUCKET"]
client = get_session().create_client(
    "s3",
    region_name=os.environ["AWS_REGION"],
    endpoint_url=os.environ["AWS_S3_ENDPOINT"],
    config=Config(signature_version="s3v4", s3={"addressing_style": "path"}, connect_timeout=3, read_timeout=30),
)
store = cast("S3Client", client)
paperless = httpx.Client(base_url=os.environ["PAPERLESS_URL"], timeout=30, trust_env=False)
audit = httpx.Client(base_url=os.environ["AUDIT_CALLBACK_URL"], timeout=10, trust_env=False)


@functions_framework.http
def bare(request: Request) -> Response:
    Run.model_validate_json(request.get_data())
    found = 0
    for prefix in ("org/", "control/paused"):
        found += store.list_objects_v2(Bucket=BUCKET, MaxKeys=1000, Prefix=prefix)["KeyCount"]
    for prefix in ("org/", "priority/"):
        found += store.list_objects_v2(Bucket=BUCKET, MaxKeys=1000, Prefix=prefix, Delimiter="/")["KeyCount"]
    return Response(json.dumps({"found": found}), content_type="application/json")
