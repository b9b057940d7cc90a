"""Where the S3 service is, and one client for the process."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from botocore.config import Config
from botocore.credentials import Credentials
from botocore.loaders import Loader
from botocore.session import Session
from pydantic import Field, SecretStr
from typing_extensions import override
from urllib3 import Timeout

from shared.adapters.s3.quick import QuickClient
from shared.config import Settings

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

CONNECTIONS = 64
# Nothing of ours lies in files or profiles, and looking for them costs every cold start.
NO_FILES = dict.fromkeys(("profile", "config_file", "credentials_file"), (None, None, None, None))


class S3Settings(Settings):
    """Where the buckets are and what opens them."""

    endpoint: str = Field(
        alias="AWS_S3_ENDPOINT",
        pattern=r"^https?://[^/]+/?$",
        description="the S3 service's address, such as https://<account>.r2.cloudflarestorage.com",
    )
    access_key_id: str = Field(alias="AWS_ACCESS_KEY_ID", description="the id of an access key for the buckets")
    secret_access_key: SecretStr = Field(alias="AWS_SECRET_ACCESS_KEY", description="the secret of that access key")
    region: str = Field("auto", alias="AWS_REGION", description="the buckets' region; R2's is auto")


class _S3Only(Loader):
    """Knows without looking that there is S3; botocore would read some 400 folders to find out."""

    @override
    def list_available_services(self, type_name: str) -> list[str]:
        return ["s3"]


def connect(settings: S3Settings, *, connect_timeout: float = 3, read_timeout: float = 30) -> S3Client:
    """One client for the process; threads may share it. botocore directly: boto3's own session takes a third longer."""
    session = Session(session_vars=NO_FILES)
    session.register_component("data_loader", _S3Only())
    config = Config(
        signature_version="s3v4",
        s3={"addressing_style": "path"},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        connect_timeout=connect_timeout,
        read_timeout=read_timeout,
        retries={"mode": "standard", "total_max_attempts": 1},
        max_pool_connections=CONNECTIONS,
        # Left to itself botocore composes a long one anew for each request, a seventh of what a call costs.
        user_agent="archivolt",
    )
    client = session.create_client(
        "s3",
        region_name=settings.region,
        endpoint_url=settings.endpoint,
        aws_access_key_id=settings.access_key_id,
        aws_secret_access_key=settings.secret_access_key.get_secret_value(),
        config=config,
    )
    credentials = Credentials(settings.access_key_id, settings.secret_access_key.get_secret_value())
    timeout = Timeout(connect=connect_timeout, read=read_timeout)
    return cast("S3Client", QuickClient(cast("S3Client", client), credentials, timeout, CONNECTIONS))
