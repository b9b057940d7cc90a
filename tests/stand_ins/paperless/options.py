"""What a stand-in is started with: its version, its users, its workers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ServerVersion = Literal["3.0.5", "2.20.15"]
Role = Literal["superuser", "member", "none"]

VERSIONS: tuple[ServerVersion, ...] = ("3.0.5", "2.20.15")
ROLES: tuple[Role, ...] = ("superuser", "member", "none")

_MODELS = ("document", "tag", "correspondent", "documenttype", "customfield")
MEMBER_PERMISSIONS = frozenset(
    {f"{action}_{model}" for action in ("view", "add", "change", "delete") for model in _MODELS}
    | {"view_paperlesstask"}
)


class BadOption(ValueError):
    """An option that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Account:
    """A user as named on the command line; the token doubles as the password."""

    name: str
    token: str
    role: Role
    active: bool = True


@dataclass(frozen=True, slots=True)
class User:
    """An account with its number on this server."""

    id: int
    account: Account

    @property
    def name(self) -> str:
        return self.account.name

    @property
    def is_superuser(self) -> bool:
        return self.account.role == "superuser"

    @property
    def permissions(self) -> frozenset[str]:
        return MEMBER_PERMISSIONS if self.account.role == "member" else frozenset()

    def may(self, permission: str) -> bool:
        return self.is_superuser or permission in self.permissions


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that shapes one stand-in."""

    server_version: ServerVersion = "3.0.5"
    users: tuple[Account, ...] = ()
    task_workers: int = 1
    consume_seconds: float = 0.0
    delete_duplicates: bool = False
    data: Path | None = None
    seed: int = 0
    tag_cost: bool = True


def account(text: str) -> Account:
    """Read NAME:TOKEN:ROLE."""
    name, _, rest = text.partition(":")
    token, _, role = rest.rpartition(":")
    if not (name and token):
        raise BadOption(f"a user is NAME:TOKEN:ROLE, not {text!r}")
    for known in ROLES:
        if role == known:
            return Account(name, token, known)
    raise BadOption(f"the role of a user is one of {', '.join(ROLES)}, not {role!r}")
