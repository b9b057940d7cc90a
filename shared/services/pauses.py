"""The drain paused and resumed by operators, for everybody or for one organisation."""

from __future__ import annotations

from contextlib import suppress
from uuid import UUID

from pydantic import ValidationError

from shared.domain.audit import Event
from shared.domain.callback import NO_DOCUMENT
from shared.domain.errors import Unavailable
from shared.domain.objects import StoredObject
from shared.domain.pauses import Pause, PauseRequest
from shared.observability.logs import Log
from shared.ports import Clock, ObjectStore
from shared.services.feed import PAUSED, paused_organizations
from shared.services.letters import LetterParts
from shared.services.sidecars import CONTENT_TYPE

log = Log(__name__)

EVERYBODY = NO_DOCUMENT
"""Whose journal a pause of all is written in."""


def pauses(queue: ObjectStore, clock: Clock) -> list[Pause]:
    everybody, organizations = paused_organizations(queue)
    names: list[UUID | None] = [None] if everybody else []
    found = ((name, queue.get(_object(name))) for name in [*names, *sorted(organizations)])
    return [_shown(name, stored, clock) for name, stored in found if stored is not None]


def pause(parts: LetterParts, request: PauseRequest) -> tuple[Pause, bool]:
    """The pause that holds now, and whether it is this one."""
    _record(parts, "drain.pause", request.actor, request.organization_id)
    name = _object(request.organization_id)
    created = parts.queue.stat(name) is None
    if created:
        # Not a conditional create: SeaweedFS refuses one where the name is also a folder, as this one is.
        parts.queue.put(name, request.model_dump_json(by_alias=True).encode(), CONTENT_TYPE)
    log.event("drain.paused", organizationId=_text(request.organization_id), reason=request.reason)
    stored = parts.queue.get(name)
    if stored is None:
        raise Unavailable("the pause was ended while it was written")
    return _shown(request.organization_id, stored, parts.clock), created


def resume(parts: LetterParts, organization_id: UUID | None, actor: str) -> bool:
    """Whether there was a pause to end."""
    name = _object(organization_id)
    if parts.queue.stat(name) is None:
        return False
    _record(parts, "drain.resume", actor, organization_id)
    parts.queue.delete(name)
    log.event("drain.resumed", organizationId=_text(organization_id))
    return True


def _record(parts: LetterParts, action: str, actor: str, organization_id: UUID | None) -> None:
    parts.audit.operator_event(Event(organization_id or EVERYBODY, action, actor, _object(organization_id)))


def _object(organization_id: UUID | None) -> str:
    return PAUSED if organization_id is None else f"{PAUSED}/{organization_id}"


def _shown(organization_id: UUID | None, stored: StoredObject, clock: Clock) -> Pause:
    """Written by people too, so anything may be in it."""
    said = None
    with suppress(ValidationError):
        said = PauseRequest.model_validate_json(stored.body)
    age = clock.now() - stored.info.updated
    return Pause(
        organization_id=organization_id,
        reason=said.reason if said else None,
        actor=said.actor if said else None,
        since=stored.info.updated,
        age_seconds=max(0, int(age.total_seconds())),
    )


def _text(organization_id: UUID | None) -> str | None:
    return None if organization_id is None else str(organization_id)
