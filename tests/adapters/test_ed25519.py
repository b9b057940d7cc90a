"""Signatures that anyone can check, and nobody can bend."""

from __future__ import annotations

import base64
import json
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.adapters.ed25519 import Ed25519Signer, SigningSettings, generate, key_id, verify
from shared.domain.errors import ConfigError
from shared.domain.receipt import Signature

# The first test vector of RFC 8032, section 7.1.
SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
PUBLIC = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
OF_NOTHING = bytes.fromhex(
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
)


def encoded(value: bytes) -> str:
    return base64.b64encode(value).decode()


def signer_of(seed: str, previous: dict[str, str] | None = None) -> Ed25519Signer:
    env = {"RECEIPT_SIGNING_KEY": seed, "RECEIPT_PUBLIC_KEYS_PREVIOUS": json.dumps(previous or {})}
    return Ed25519Signer(SigningSettings.from_env(env))


def test_the_signature_is_the_one_the_standard_says() -> None:
    signature = signer_of(encoded(SEED)).sign(b"")

    assert signature == Signature(key_id(PUBLIC), encoded(OF_NOTHING))


def test_the_key_id_is_the_beginning_of_the_public_keys_hash() -> None:
    assert key_id(PUBLIC) == "21fe31dfa154a261"


def test_the_public_key_is_published_under_its_id() -> None:
    assert signer_of(encoded(SEED)).public_keys() == {key_id(PUBLIC): encoded(PUBLIC)}


def test_a_signature_verifies_with_the_published_keys() -> None:
    signer = signer_of(generate())

    signature = signer.sign(b"message")

    assert verify(b"message", signature, signer.public_keys())


def test_a_changed_message_does_not_verify() -> None:
    signer = signer_of(generate())

    signature = signer.sign(b"message")

    assert not verify(b"massage", signature, signer.public_keys())


def test_a_signature_by_another_key_under_our_id_does_not_verify() -> None:
    ours, theirs = signer_of(generate()), signer_of(generate())

    forged = Signature(ours.sign(b"message").key_id, theirs.sign(b"message").value)

    assert not verify(b"message", forged, ours.public_keys())


@pytest.mark.parametrize("value", ["", "no base64!", encoded(b"too short")])
def test_a_malformed_signature_does_not_verify(value: str) -> None:
    signer = signer_of(encoded(SEED))

    assert not verify(b"", Signature(key_id(PUBLIC), value), signer.public_keys())


def test_an_unknown_key_id_does_not_verify() -> None:
    assert not verify(b"", Signature("ffffffffffffffff", encoded(OF_NOTHING)), {key_id(PUBLIC): encoded(PUBLIC)})


def test_after_a_rotation_old_signatures_still_verify() -> None:
    old = signer_of(generate())
    signature = old.sign(b"message")

    new = signer_of(generate(), previous=old.public_keys())

    assert verify(b"message", signature, new.public_keys())
    assert len(new.public_keys()) == 2


def test_generated_keys_differ() -> None:
    assert generate() != generate()


@pytest.mark.parametrize("seed", ["", "no base64!", encoded(b"short")])
def test_a_missing_or_malformed_key_is_refused_by_name_without_showing_it(seed: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        signer_of(seed)

    assert "RECEIPT_SIGNING_KEY" in refusal.value.message
    assert not seed or seed not in refusal.value.message


@pytest.mark.parametrize("previous", ["no json", "[]", '{"wrong id": "AAAA"}'])
def test_malformed_previous_keys_are_refused_by_name(previous: str) -> None:
    env = {"RECEIPT_SIGNING_KEY": generate(), "RECEIPT_PUBLIC_KEYS_PREVIOUS": previous}

    with pytest.raises(ConfigError, match="RECEIPT_PUBLIC_KEYS_PREVIOUS"):
        SigningSettings.from_env(env)


def test_a_previous_key_under_an_id_that_is_not_its_own_is_refused() -> None:
    public = Ed25519PrivateKey.generate().public_key().public_bytes_raw()

    with pytest.raises(ConfigError, match="is not the id of its key"):
        signer_of(generate(), previous={"0123456789abcdef": encoded(public)})


def test_the_library_is_imported_only_by_those_who_sign() -> None:
    code = "import sys, shared.adapters.ed25519; sys.exit('cryptography' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
