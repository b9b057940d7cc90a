"""What happens to a data folder that another version of the server wrote."""

from __future__ import annotations

from tests.stand_ins.paperless.checksums import checksum
from tests.stand_ins.paperless.options import BadOption
from tests.stand_ins.paperless.world import World


def settle(world: World) -> None:
    before, now = world.archive.server_version, world.options.server_version
    if before and before != now:
        if not world.is_v3:
            raise BadOption(f"{world.options.data} was written by {before}, which {now} cannot read")
        _to_version_3(world)
    if before != now:
        world.archive.note_version(now)


def _to_version_3(world: World) -> None:
    """Checksums are computed anew, and the table of tasks is dropped with everything in it."""
    for document in list(world.archive.documents.values()):
        with world.archive.changing(document):
            document.checksum = checksum(world.files.get(document.original) or b"", is_v3=True)
            if document.archive:
                document.archive_checksum = checksum(world.files.get(document.archive) or b"", is_v3=True)
    for task in list(world.archive.tasks.values()):
        world.archive.remove(task)
