"""What the server says about itself, and where a token comes from."""

from __future__ import annotations

import math
import platform
import shutil
from collections import Counter
from pathlib import Path

from tests.stand_ins.paperless import access, forms, rights
from tests.stand_ins.paperless.call import Call
from tests.stand_ins.paperless.form import Form
from tests.stand_ins.paperless.messages import Response, detail, insufficient_permissions, invalid, json_response
from tests.stand_ins.paperless.records import Json, Label
from tests.stand_ins.paperless.world import World

# How long asking the worker takes: when it answers, and when it does not.
PING_SECONDS, NO_PING_SECONDS = 1.1, 3.6
TOKEN_CALLS, TOKEN_PERIOD = 5, 60.0


def statistics(call: Call) -> Response:
    """For everybody with a token, permissions or not; it counts what the caller may see."""
    archive = call.archive
    live = [archive.documents[number] for number in archive.catalogue.find("state", "live")]
    seen = [document for document in live if rights.sees(call.user, document)]
    tags = _seen(call, archive.labels["tag"])
    inbox = [tag.id for tag in tags if tag.is_inbox_tag]
    types = Counter(document.mime_type for document in seen)
    body: dict[str, Json] = {
        "documents_total": len(seen),
        "documents_inbox": sum(not set(inbox).isdisjoint(d.tags) for d in seen) if inbox else None,
        "inbox_tag": inbox[0] if inbox else None,
        "inbox_tags": inbox or None,
        "document_file_type_counts": [
            {"mime_type": name, "mime_type_count": count} for name, count in types.most_common()
        ],
        "character_count": sum(len(document.content) for document in seen),
        "tag_count": len(tags),
        "correspondent_count": len(_seen(call, archive.labels["correspondent"])),
        "document_type_count": len(_seen(call, archive.labels["document_type"])),
        "storage_path_count": 0,
        "current_asn": max((d.archive_serial_number or 0 for d in live), default=0),
    }
    return json_response(body)


def _seen(call: Call, table: dict[int, Label]) -> list[Label]:
    return [label for label in table.values() if rights.sees(call.user, label)]


def status(call: Call) -> Response:
    """Slow, because it asks the worker; always 200, look inside."""
    world = call.world
    if not call.user.is_superuser:
        raise insufficient_permissions()
    worker_down, redis_down = world.faults.has("worker_down"), world.faults.has("redis_down")
    world.pause(NO_PING_SECONDS if worker_down or redis_down else PING_SECONDS)
    disk = shutil.disk_usage(world.options.data or Path("/"))
    silent = "WARNING" if world.is_v3 else "ERROR"
    tasks: dict[str, Json] = {
        "redis_url": "redis://localhost:6379",
        "redis_status": "ERROR" if redis_down else "OK",
        "redis_error": "Error connecting to redis, check logs for more detail." if redis_down else None,
        "celery_status": silent if worker_down or redis_down else "OK",
        "celery_url": None if worker_down else "celery@stand-in",
        "celery_error": "No celery workers responded to ping. This may be temporary." if worker_down else None,
    }
    for name, last in (("index", "modified"), ("classifier", "trained"), ("sanity_check", "run")):
        tasks |= {f"{name}_status": "OK", f"{name}_last_{last}": None, f"{name}_error": None}
    return json_response(
        {
            "pngx_version": world.options.server_version,
            "server_os": platform.platform(),
            "install_type": "bare-metal",
            "storage": {"total": disk.total, "available": disk.free},
            "database": {
                "type": "sqlite",
                "url": "db.sqlite3",
                "status": "OK",
                "error": None,
                "migration_status": {"latest_migration": "documents.0001_initial", "unapplied_migrations": []},
            },
            "tasks": tasks,
        }
    )


def ui_settings(call: Call) -> Response:
    user = call.user
    if not user.may("view_uisettings"):
        raise detail("You do not have permission to perform this action.", 403)
    shown = {
        "id": user.id,
        "username": user.name,
        "is_staff": user.is_superuser,
        "is_superuser": user.is_superuser,
        "groups": [],
    }
    settings: dict[str, Json] = {"trash_delay": 30, "version": call.world.options.server_version, "update_checking": {}}
    return json_response({"user": shown, "settings": settings, "permissions": sorted(user.permissions)})


def remote_version(_call: Call) -> Response:
    """There is no network to ask for a newer one."""
    return json_response({"version": "0.0.0", "update_available": False})


def token(world: World, values: dict[str, Json]) -> Response:
    """Version 3 lets five through in a minute, right or wrong."""
    if world.is_v3:
        _throttle(world)
    form = Form(values)
    form.read("username", forms.text(blank=False), required=True)
    form.read("password", forms.text(blank=False), required=True)
    form.refuse_if_wrong()
    user = access.with_password(world, form.clean["username"], form.clean["password"])
    if user is None:
        raise invalid({"non_field_errors": ["Unable to log in with provided credentials."]})
    return json_response({"token": user.account.token})


def _throttle(world: World) -> None:
    now = world.clock.now().timestamp()
    world.token_calls = [call for call in world.token_calls if call > now - TOKEN_PERIOD]
    if len(world.token_calls) >= TOKEN_CALLS:
        wait = math.ceil(world.token_calls[0] + TOKEN_PERIOD - now)
        unit = "second" if wait == 1 else "seconds"
        text = f"Request was throttled. Expected available in {wait} {unit}."
        raise detail(text, 429, {"Retry-After": str(wait)})
    world.token_calls.append(now)
