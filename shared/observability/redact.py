"""Turns any value into something JSON can hold, without secrets and without ever failing."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date

REDACTED = "[redacted]"
LONGEST_TEXT = 16_000
DEEPEST = 6

_SECRET_NAME = re.compile(
    r"secret|passw|authorization|api[-_]?key|private[-_]?key|cookie|credential|token|signature", re.IGNORECASE
)
_SECRET_TEXT = re.compile(
    r"(?P<dsn>://[^\s/:@]*:)[^\s@]+(?=@)"
    r"|(?P<scheme>\b(?:bearer|basic|token) +)(?=\S*\d)[\w.~+/=-]{12,}"
    r"|(?P<signed>[?&]X-(?:Amz|Goog)-(?:Signature|Credential|Security-Token)=)[^&\s]+",
    re.IGNORECASE,
)


def named(name: str, value: object) -> object:
    """The value as a log line may show it under this name."""
    return REDACTED if _SECRET_NAME.search(name) else clean(value)


def clean(value: object, depth: int = 0) -> object:
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping | list | tuple | set | frozenset) and depth < DEEPEST:
        return _cleaned_collection(value, depth + 1)
    return text(_string(value))


def text(value: str, longest: int = LONGEST_TEXT) -> str:
    """The text without secrets, lone surrogates (no UTF-8 has them) and excessive length."""
    shown = value if len(value) <= longest else f"{value[:longest]}… ({len(value)} characters)"
    return _SECRET_TEXT.sub(_keep_prefix, shown).encode("utf-8", "backslashreplace").decode()


def _cleaned_collection(
    value: Mapping[object, object] | list[object] | tuple[object, ...] | set[object] | frozenset[object], depth: int
) -> object:
    if not isinstance(value, Mapping):
        return [clean(item, depth) for item in value]
    names = ((_string(key), item) for key, item in value.items())
    return {text(name): REDACTED if _SECRET_NAME.search(name) else clean(item, depth) for name, item in names}


def _keep_prefix(found: re.Match[str]) -> str:
    return f"{found['dsn'] or found['scheme'] or found['signed']}{REDACTED}"


def _string(value: object) -> str:
    # A SecretStr needs no case of its own: its text is a row of stars.
    with suppress(Exception):
        match value:
            case bytes() | bytearray() | memoryview():
                return f"<{len(value)} bytes>"
            case BaseException():
                return f"{type(value).__name__}: {value}"
            case date():
                return value.isoformat()
        return str(value)
    return f"<{type(value).__name__}>"
