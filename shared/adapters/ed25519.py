"""Signs receipts with Ed25519, and publishes the keys by which anyone can check them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import importlib
import secrets
from functools import cached_property
from typing import TYPE_CHECKING

from pydantic import Field, Json, SecretStr, field_validator

from shared.config import Settings
from shared.domain.receipt import Signature

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

# Imported by the first use: 13 ms that a function which never signs does not spend.
_LIBRARY = "cryptography.hazmat.primitives.asymmetric.ed25519"
KEY_BYTES = 32
KEY_ID_LENGTH = 16
A_KEY = "32 random bytes in base64"
A_MAP = "a JSON object: key id → public key in base64, of keys that no longer sign"


class SigningSettings(Settings):
    """The key that signs, and the public halves of those that did before."""

    receipt_signing_key: SecretStr = Field(description=A_KEY)
    receipt_public_keys_previous: Json[dict[str, str]] = Field(default_factory=dict, description=A_MAP)

    @field_validator("receipt_signing_key")
    @classmethod
    def _is_a_key(cls, value: SecretStr) -> SecretStr:
        _decoded(value.get_secret_value())
        return value

    @field_validator("receipt_public_keys_previous")
    @classmethod
    def _ids_are_theirs(cls, value: dict[str, str]) -> dict[str, str]:
        for name, public in value.items():
            if key_id(_decoded(public)) != name:
                raise ValueError(f"{name} is not the id of its key")
        return value


class Ed25519Signer:
    """The library is imported by the first use, so a function that never signs starts without it."""

    def __init__(self, settings: SigningSettings) -> None:
        self._seed = settings.receipt_signing_key
        self._previous = settings.receipt_public_keys_previous

    def sign(self, message: bytes) -> Signature:
        return Signature(key_id(self._public), base64.b64encode(self._key.sign(message)).decode())

    def public_keys(self) -> dict[str, str]:
        return {**self._previous, key_id(self._public): base64.b64encode(self._public).decode()}

    @cached_property
    def _key(self) -> Ed25519PrivateKey:
        return _private_key(_decoded(self._seed.get_secret_value()))

    @cached_property
    def _public(self) -> bytes:
        return self._key.public_key().public_bytes_raw()


def key_id(public: bytes) -> str:
    return hashlib.sha256(public).hexdigest()[:KEY_ID_LENGTH]


def verify(payload: bytes, signature: Signature, public_keys: Mapping[str, str]) -> bool:
    """Whether one of these keys made this signature of exactly this payload."""
    if signature.key_id not in public_keys:
        return False
    try:
        public, value = _decoded(public_keys[signature.key_id]), base64.b64decode(signature.value, validate=True)
    except (binascii.Error, ValueError):
        return False
    return _holds(_public_key(public), value, payload)


def generate() -> str:
    """A new key, as RECEIPT_SIGNING_KEY takes it."""
    return base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def _decoded(text: str) -> bytes:
    try:
        decoded = base64.b64decode(text, validate=True)
    except binascii.Error:
        raise ValueError("it is not base64") from None
    if len(decoded) != KEY_BYTES:
        raise ValueError(f"it has {len(decoded)} bytes instead of {KEY_BYTES}")
    return decoded


def _private_key(seed: bytes) -> Ed25519PrivateKey:
    key: Ed25519PrivateKey = importlib.import_module(_LIBRARY).Ed25519PrivateKey.from_private_bytes(seed)
    return key


def _public_key(public: bytes) -> Ed25519PublicKey:
    key: Ed25519PublicKey = importlib.import_module(_LIBRARY).Ed25519PublicKey.from_public_bytes(public)
    return key


def _holds(key: Ed25519PublicKey, signature: bytes, payload: bytes) -> bool:
    try:
        key.verify(signature, payload)
    except importlib.import_module("cryptography.exceptions").InvalidSignature:
        return False
    return True
