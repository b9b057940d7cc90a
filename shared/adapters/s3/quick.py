"""The two calls that every document needs, at half their cost: the SDK signs them, the rest of its client is skipped.

That rest is about half a millisecond of processor for each call, spent on hooks, rules and models which a plain PUT and
a plain listing have no use for; a server that makes four of them for a request notices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, unquote_plus, urlencode, urlsplit
from xml.etree import ElementTree as ET

import urllib3
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    ReadTimeoutError,
    SSLError,
)
from botocore.httpsession import get_cert_path
from botocore.parsers import ResponseParserError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

CONDITIONS = {"IfMatch": "if-match", "IfNoneMatch": "if-none-match"}
LISTING = {
    "Prefix": "prefix",
    "Delimiter": "delimiter",
    "MaxKeys": "max-keys",
    "StartAfter": "start-after",
    "ContinuationToken": "continuation-token",
}


@dataclass(frozen=True, slots=True)
class Sent:
    """One request."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def target(self) -> str:
        return f"{self.path}?{urlencode(self.query, quote_via=quote, safe='')}" if self.query else self.path


class QuickClient:
    """The SDK's client, two of whose methods take the short way; they answer, and fail, as its own do."""

    def __init__(self, client: S3Client, credentials: Credentials, timeout: urllib3.Timeout, connections: int) -> None:
        self._client = client
        self._endpoint = client.meta.endpoint_url.rstrip("/")
        self._signer = S3SigV4Auth(credentials, "s3", client.meta.region_name)
        trusted = {"ca_certs": get_cert_path(verify=True)} if urlsplit(self._endpoint).scheme == "https" else {}
        self._pool = urllib3.connection_from_url(self._endpoint, timeout=timeout, maxsize=connections, **trusted)

    def __getattr__(self, name: str) -> Any:
        """The others as they are; the SDK makes them when it makes the client, so no type can name them."""
        return getattr(self._client, name)

    def put_object(self, **given: Any) -> Mapping[str, Any]:
        if not isinstance(given["Body"], bytes):
            return self._client.put_object(**given)
        headers = {"content-type": given["ContentType"]}
        headers |= {header: given[name] for name, header in CONDITIONS.items() if name in given}
        path = f"/{given['Bucket']}/{quote(given['Key'], safe='/~')}"
        answer = self._send("PutObject", Sent("PUT", path, {}, headers, given["Body"]))
        return {"ETag": answer.headers["ETag"]}

    def list_objects_v2(self, **given: Any) -> Mapping[str, Any]:
        query = {parameter: str(given[name]) for name, parameter in LISTING.items() if name in given}
        query |= {"list-type": "2", "encoding-type": "url"}
        answer = self._send("ListObjectsV2", Sent("GET", f"/{given['Bucket']}", query, {}, b""))
        try:
            return _listing(ET.fromstring(answer.data))
        except (ET.ParseError, KeyError, ValueError) as exc:
            raise ResponseParserError("a listing that cannot be read") from exc

    def close(self) -> None:
        self._pool.close()
        self._client.close()

    def _send(self, operation: str, sent: Sent) -> urllib3.BaseHTTPResponse:
        signed = AWSRequest(sent.method, self._endpoint + sent.path, sent.headers, sent.body, sent.query)
        self._signer.add_auth(signed)
        with _translated(self._endpoint):
            answer = self._pool.urlopen(
                sent.method, sent.target, sent.body, dict(signed.headers), retries=False, redirect=False
            )
        if answer.status >= 300:
            raise _refusal(answer, operation)
        return answer


@contextmanager
def _translated(endpoint: str) -> Iterator[None]:
    """As the SDK's own client names what went wrong on the way."""
    try:
        yield
    except urllib3.exceptions.NewConnectionError as exc:
        raise EndpointConnectionError(endpoint_url=endpoint, error=exc) from exc
    except urllib3.exceptions.ConnectTimeoutError as exc:
        raise ConnectTimeoutError(endpoint_url=endpoint, error=exc) from exc
    except urllib3.exceptions.ReadTimeoutError as exc:
        raise ReadTimeoutError(endpoint_url=endpoint, error=exc) from exc
    except urllib3.exceptions.SSLError as exc:
        raise SSLError(endpoint_url=endpoint, error=exc) from exc
    except urllib3.exceptions.ProtocolError as exc:
        raise ConnectionClosedError(endpoint_url=endpoint, error=exc) from exc
    except urllib3.exceptions.HTTPError as exc:
        raise HTTPClientError(error=exc) from exc


def _refusal(answer: urllib3.BaseHTTPResponse, operation: str) -> ClientError:
    """The service says why in XML; a gateway before it says something else."""
    try:
        said = _texts(ET.fromstring(answer.data))
    except ET.ParseError:
        said = {}
    error = {"Code": said.get("Code", str(answer.status)), "Message": said.get("Message", "")}
    headers = {name.lower(): value for name, value in answer.headers.items()}
    told = {"Error": error, "ResponseMetadata": {"HTTPStatusCode": answer.status, "HTTPHeaders": headers}}
    return ClientError(cast("Any", told), operation)  # its type asks for ids that a gateway does not give


def _listing(tree: ET.Element) -> dict[str, Any]:
    said = _texts(tree)
    return {
        "IsTruncated": said["IsTruncated"] == "true",
        "NextContinuationToken": said.get("NextContinuationToken", ""),
        "Contents": [_entry(_texts(each)) for each in tree.iterfind("{*}Contents")],
        "CommonPrefixes": [
            {"Prefix": unquote_plus(_texts(each)["Prefix"])} for each in tree.iterfind("{*}CommonPrefixes")
        ],
    }


def _entry(said: Mapping[str, str]) -> dict[str, Any]:
    return {
        "Key": unquote_plus(said["Key"]),
        "Size": int(said["Size"]),
        "ETag": said["ETag"],
        "LastModified": datetime.fromisoformat(said["LastModified"]),
    }


def _texts(tree: ET.Element) -> dict[str, str]:
    """By the names of the elements, without their namespace, which services write differently."""
    return {each.tag.rpartition("}")[2]: each.text or "" for each in tree}
