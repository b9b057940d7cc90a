"""The command scripts/verify_receipt: checks receipts offline, with nothing but the public key."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from scripts.local.console_output import fail, say
from shared.adapters.ed25519 import verify
from shared.domain.receipt import Signature, canonical


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/verify_receipt", description=__doc__)
    parser.add_argument("receipt", help="a file with a receipt, or an answer that holds receipts; - for standard input")
    parser.add_argument("--keys", required=True, help="the answer of GET /v1/keys: a file, or the JSON itself")
    options = parser.parse_args()
    try:
        found = list(_receipts(json.loads(_text(options.receipt))))
        keys = _keys(json.loads(_text(options.keys)))
    except (OSError, ValueError) as error:
        fail(f"cannot be read: {error}")
        return 2
    if not found:
        fail("there is no receipt in this")
        return 2
    genuine = [_checked(receipt, keys) for receipt in found]
    return 0 if all(genuine) else 1


def holds(receipt: dict[str, Any], keys: dict[str, str]) -> bool:
    """Whether one of these keys signed exactly this receipt."""
    payload = {name: value for name, value in receipt.items() if name != "signature"}
    signature = receipt["signature"]
    return verify(canonical(payload), Signature(str(signature["keyId"]), str(signature["value"])), keys)


def _checked(receipt: dict[str, Any], keys: dict[str, str]) -> bool:
    good = holds(receipt, keys)
    what = f"document {receipt.get('bilkoDocumentId')}, sha256 {receipt.get('sha256')}"
    say(f"{'genuine' if good else 'NOT GENUINE'}: {what}, archived {receipt.get('archivedAt')}")
    return good


def _receipts(tree: Any) -> Any:
    """Every object with a signature, wherever it stands."""
    if isinstance(tree, dict):
        if isinstance(tree.get("signature"), dict):
            yield tree
        else:
            for value in tree.values():
                yield from _receipts(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _receipts(value)


def _keys(tree: dict[str, Any]) -> dict[str, str]:
    return dict(tree.get("keys", tree))


def _text(source: str) -> str:
    if source == "-":
        return sys.stdin.read()
    return source if source.lstrip().startswith("{") else Path(source).read_text()
