"""The command scripts/setup_paperless: makes the labels and fields that deliveries need, and says what it did."""

from __future__ import annotations

import argparse
import json

from scripts.local.console_output import fail, say
from shared.adapters.paperless.archive import PaperlessArchive
from shared.adapters.paperless.transport import PaperlessSettings
from shared.domain.errors import ConfigError
from shared.domain.keys import DocumentType
from shared.domain.paperless import LabelKind, Names
from shared.domain.retry import PaperlessError

RIGHTS = """The drain's user needs: view and add of document, tag, correspondent, documenttype and customfield, and
view of paperlesstask; change of paperlesstask lets it tidy its finished tasks away. It must not be a superuser."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/setup_paperless", description=__doc__)
    parser.add_argument("--prefix", default="bilko", help="the source prefix, as SOURCE_PREFIX has it")
    options = parser.parse_args()
    try:
        archive = PaperlessArchive(PaperlessSettings.from_env())
        tags = set_up(archive, Names(options.prefix))
    except ConfigError as error:
        fail(error)
        return 2
    except PaperlessError as error:
        fail(f"Paperless did not let us: {error}. {RIGHTS}")
        return 1
    say(RIGHTS)
    print(f"PAPERLESS_TAG_IDS_MAP={json.dumps(tags, separators=(',', ':'))}")
    return 0


def set_up(archive: PaperlessArchive, names: Names) -> dict[str, int]:
    """Idempotent; returns the ids that PAPERLESS_TAG_IDS_MAP takes."""
    version = archive.version()
    say(f"Paperless {version.major}.{version.minor}, {'supported' if version.supported else 'NOT supported'}")
    for name in (names.field_source_uuid, names.field_organization, names.field_document):
        _ensure(archive, LabelKind.CUSTOM_FIELD, name)
    for document_type in DocumentType:
        _ensure(archive, LabelKind.DOCUMENT_TYPE, names.document_type(document_type))
    tags = {names.source_tag: _ensure(archive, LabelKind.TAG, names.source_tag)}
    for document_type in DocumentType:
        tags[document_type.value] = _ensure(archive, LabelKind.TAG, names.type_tag(document_type))
    return tags


def _ensure(archive: PaperlessArchive, kind: LabelKind, name: str) -> int:
    found = archive.find_label(kind, name)
    label = found or archive.ensure_label(kind, name)
    say(f"  {kind.removesuffix('s').replace('_', ' ')} {name}: {'there' if found else 'made'} ({label.id})")
    return label.id
