"""A copy of terraform/ and of what it reads, to work in without leaving anything behind in the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

from scripts.packaging.build import build
from scripts.terraform_checks.errors import CannotCheckError
from scripts.terraform_checks.mirror import cli_configuration

MIRROR_VARIABLE = "TERRAFORM_PROVIDER_MIRROR"
# Nobody is asked for these: a plan of something new makes no call. The providers only want them to look right.
CREDENTIALS = {"GOOGLE_OAUTH_ACCESS_TOKEN": "none", "CLOUDFLARE_API_TOKEN": "0" * 40}
SECRET_VALUES = '{"PAPERLESS_API_TOKEN": "swordfish-token", "RECEIPT_SIGNING_KEY": "swordfish-key"}'
LOCAL_STATE = 'terraform {\n  backend "local" {}\n}\n'
SECONDS = 600


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where the copy is, and the variables that Terraform is started with."""

    root: Path
    environment: dict[str, str]

    @property
    def terraform(self) -> Path:
        return self.root / "terraform"

    def run(self, folder: Path, arguments: Sequence[str], program: str = "terraform") -> CompletedProcess[str]:
        return subprocess.run(
            [program, *arguments],
            cwd=folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )


def given_mirror(named: str | None = None) -> Path | None:
    """The folder with providers that an option or the environment names; None for the registry."""
    name = named or os.environ.get(MIRROR_VARIABLE)
    if not name:
        return None
    if not Path(name).is_dir():
        raise CannotCheckError(f"there is no folder {name}, which should hold Terraform providers")
    return Path(name)


def prepare(repository: Path, root: Path, mirror: Path | None) -> Workplace:
    if shutil.which("terraform") is None:
        raise CannotCheckError("terraform is not installed, or not on the PATH: version 1.11 or newer is needed")
    shutil.copytree(
        repository / "terraform", root / "terraform", ignore=shutil.ignore_patterns(".terraform*", "*.tfstate*")
    )
    shutil.copytree(repository / "functions", root / "functions", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(repository / "shared" / "observability", root / "shared" / "observability")
    for _ in build(repository, root / "dist"):
        pass
    for environment in (root / "terraform" / "environments").iterdir():
        (environment / "backend_override.tf").write_text(LOCAL_STATE)
    return Workplace(root, _environment(root, mirror))


def _environment(root: Path, mirror: Path | None) -> dict[str, str]:
    cache = root / "plugins"
    cache.mkdir()
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("TF_", "GOOGLE_", "CLOUDFLARE_"))},
        **CREDENTIALS,
        "TF_CLI_CONFIG_FILE": str(cli_configuration(root, mirror)),
        "TF_IN_AUTOMATION": "1",
        "TF_INPUT": "0",
        "TF_PLUGIN_CACHE_DIR": str(cache),
        "TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE": "1",
        "TF_VAR_secret_values": SECRET_VALUES,
    }
