"""The providers to check against: a folder of them where there is no network, else the registry's own."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any
from zipfile import ZipFile

RULES = "rules.json.gz"


def cli_configuration(folder: Path, mirror: Path | None) -> Path:
    """Terraform's own settings, written where only this check sees them; it wants an absolute path."""
    file = folder / "terraform.rc"
    if mirror is None:
        file.write_text("disable_checkpoint = true\n")
        return file
    copied = mended(mirror, folder / "mirror")
    file.write_text(
        "disable_checkpoint = true\n"
        f"provider_installation {{\n  filesystem_mirror {{\n    path = {json.dumps(str(copied.resolve()))}\n  }}\n}}\n"
    )
    return file


def mended(mirror: Path, target: Path) -> Path:
    """A copy of the mirror in which "exactly one of" counts the argument that states the rule, as the provider does.

    Stand-ins for providers keep their rules in a file. Where a rule lists only the *other* arguments, as that of
    `source` and `content` of a bucket object does, the stand-in would refuse `source` and `content` alike.
    """
    shutil.copytree(mirror, target, copy_function=shutil.copyfile)
    for package in target.rglob("*.zip"):
        with ZipFile(package) as zipped:
            stands_in = RULES in zipped.namelist()
            contents = {entry: zipped.read(entry) for entry in zipped.infolist()} if stands_in else {}
        if stands_in:
            with ZipFile(package, "w") as written:
                for entry, data in contents.items():
                    written.writestr(entry, _mended_rules(data) if entry.filename == RULES else data)
    return target


def _mended_rules(data: bytes) -> bytes:
    rules: dict[str, dict[str, Any]] = json.loads(gzip.decompress(data))
    for arguments in rules.values():
        for name, rule in arguments.items():
            if others := rule.get("exactly_one_of"):
                rule["exactly_one_of"] = sorted({name, *others})
    return gzip.compress(json.dumps(rules).encode())
