"""The checksum a server knows a file by, which changed between its versions."""

from __future__ import annotations

import hashlib


def checksum(content: bytes, *, is_v3: bool) -> str:
    return hashlib.sha256(content).hexdigest() if is_v3 else hashlib.md5(content).hexdigest()
