"""Who may see and change what: the owner, everybody for what has none, and those it is shared with."""

from __future__ import annotations

from tests.stand_ins.paperless.options import User
from tests.stand_ins.paperless.records import Json, Owned


def sees(user: User, row: Owned) -> bool:
    return user.is_superuser or row.owner is None or row.owner == user.id or user.id in row.view_users


def changes(user: User, row: Owned) -> bool:
    return user.is_superuser or row.owner is None or row.owner == user.id or user.id in row.change_users


def owns(user: User, row: Owned) -> bool:
    """Deleting is never shared: only the owner may, or anybody if there is none."""
    return user.is_superuser or row.owner is None or row.owner == user.id


def shared_with(row: Owned) -> dict[str, dict[str, list[int]]]:
    return {
        "view": {"users": list(row.view_users), "groups": []},
        "change": {"users": list(row.change_users), "groups": []},
    }


def share(row: Owned, permissions: dict[str, Json]) -> None:
    """Whoever may change may also view."""
    view, change = permissions.get("view", {}), permissions.get("change", {})
    if "users" in view:
        row.view_users = list(view["users"])
    if "users" in change:
        row.change_users = list(change["users"])
        row.view_users = sorted({*row.view_users, *row.change_users})
