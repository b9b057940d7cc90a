"""What must be true of a site, whatever happened to it."""

from __future__ import annotations

from shared.adapters.ed25519 import verify
from shared.domain.keys import ObjectKey
from shared.domain.receipt import Signature, canonical
from tests.prove.site import Site


def receipts_hold(site: Site, key: ObjectKey) -> bool:
    """Every archived row of the key has a receipt that verifies with the public key alone."""
    return all(_holds(site, row.receipt) for row in site.ledger.job(key) if row.archived_at is not None)


def _holds(site: Site, receipt: dict[str, object] | None) -> bool:
    if receipt is None:
        return False
    payload = {name: value for name, value in receipt.items() if name != "signature"}
    signature = receipt["signature"]
    assert isinstance(signature, dict)
    return verify(canonical(payload), Signature(signature["keyId"], signature["value"]), site.signer.public_keys())
