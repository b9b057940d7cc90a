"""What is signed is one byte string, whoever writes it down."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.receipt import Receipt, Signature, canonical, signed
from tests.domain.samples import KEY, LATER, NOW

payloads = st.dictionaries(st.text(max_size=10), st.integers() | st.text(max_size=10) | st.none(), max_size=6)


@given(payloads, st.randoms())
def test_the_order_of_fields_does_not_change_what_is_signed(payload: dict[str, Any], order: Any) -> None:
    shuffled = list(payload.items())
    order.shuffle(shuffled)

    assert canonical(dict(shuffled)) == canonical(payload)


@given(payloads, payloads)
def test_different_payloads_are_different_bytes(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert (canonical(one) == canonical(other)) == (one == other)


def test_a_receipt_survives_being_printed_and_read_again() -> None:
    payload = Receipt(
        KEY.job_id, KEY.organization_id, UUID(int=1), "invoice", KEY.sha256, 5, "https://a.example/æ", NOW, LATER
    ).payload()
    receipt = json.loads(json.dumps(signed(payload, Signature("key", "c2ln")), indent=4))

    signature = receipt.pop("signature")

    assert canonical(receipt) == canonical(payload)
    assert signature == {"algorithm": "Ed25519", "keyId": "key", "value": "c2ln"}
