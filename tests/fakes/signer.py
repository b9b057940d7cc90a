"""A signer without a library: the digest of the message, which a test can compute as well."""

from __future__ import annotations

import base64
import hashlib

from shared.domain.receipt import Signature


class PlainSigner:
    """Its signatures prove nothing, but differ with every message and repeat with the same one."""

    key_id = "0123456789abcdef"

    def sign(self, message: bytes) -> Signature:
        return Signature(self.key_id, base64.b64encode(hashlib.sha512(message).digest()).decode())

    def public_keys(self) -> dict[str, str]:
        return {self.key_id: base64.b64encode(hashlib.sha256(b"key").digest()).decode()}
