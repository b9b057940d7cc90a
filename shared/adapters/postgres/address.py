"""The address of a PostgreSQL server, read from a URL."""

from __future__ import annotations

import ipaddress
import ssl
from dataclasses import dataclass, field
from typing import Literal, Self
from urllib.parse import parse_qsl, unquote, urlsplit

SCHEMES = ("postgresql", "postgres")
PLAIN = "disable"
# "require" encrypts without looking at the certificate elsewhere; here whoever asks for TLS gets all of it.
VERIFIED = ("require", "verify-ca", "verify-full")
EXPECTED = "it must look like postgresql://user:password@host:port/name"
OPTIONS = ("sslmode", "sslrootcert")


@dataclass(frozen=True, slots=True)
class Address:
    """Host, database and credentials; the password is in no representation of it."""

    host: str
    port: int
    database: str
    user: str
    password: str | None = field(repr=False)
    ssl_mode: str
    root_certificate: str | None = None

    @classmethod
    def parse(cls, url: str) -> Self:
        try:
            parts = urlsplit(url)
            port = parts.port or 5432
        except ValueError:  # whose message quotes what may be a part of the password
            raise ValueError(EXPECTED) from None
        options = dict(parse_qsl(parts.query))
        if parts.scheme not in SCHEMES or not parts.hostname or not parts.username or len(parts.path) < 2:
            raise ValueError(EXPECTED)
        if unknown := set(options) - set(OPTIONS):
            raise ValueError(f"unknown option {', '.join(sorted(unknown))}; there are {' and '.join(OPTIONS)}")
        mode = options.get("sslmode") or (PLAIN if is_loopback(parts.hostname) else "verify-full")
        if mode not in (PLAIN, *VERIFIED):
            raise ValueError(f"sslmode must be one of {', '.join((PLAIN, *VERIFIED))}")
        return cls(
            host=parts.hostname,
            port=port,
            database=unquote(parts.path[1:]),
            user=unquote(parts.username),
            password=None if parts.password is None else unquote(parts.password),
            ssl_mode=mode,
            root_certificate=options.get("sslrootcert"),
        )

    def ssl_context(self) -> ssl.SSLContext | Literal[False]:
        return False if self.ssl_mode == PLAIN else ssl.create_default_context(cafile=self.root_certificate)


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
