"""The ids that a delivery sends: cached, read back by name once per run, created where they are missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from shared.domain.audit import OrganizationLabels
from shared.domain.drain import DrainOptions
from shared.domain.errors import Unavailable
from shared.domain.keys import DocumentType, ObjectKey
from shared.domain.paperless import MOST_TAGS, FieldIds, LabelKind, Labels, Names
from shared.domain.retry import misconfigured
from shared.observability.logs import Log
from shared.ports import Archive, AuditApi

log = Log(__name__)


@dataclass(slots=True)
class LabelBook:
    """The labels of one run. Ids remembered from earlier are believed only after their names were read back:
    a restored or rebuilt Paperless hands the same ids out again.
    """

    archive: Archive
    audit: AuditApi
    options: DrainOptions
    names: Names
    fields: FieldIds
    source_tag: int
    _types: dict[DocumentType, tuple[int, int]] = field(default_factory=dict)
    _organizations: dict[UUID, OrganizationLabels] = field(default_factory=dict)
    _tag_names: dict[int, str] = field(default_factory=dict)

    def labels(self, key: ObjectKey) -> Labels:
        document_type, type_tag = self._type(key.document_type)
        organization = self._organization(key.organization_id)
        return Labels(
            correspondent=organization.correspondent_id,
            document_type=document_type,
            organization_tag=organization.tag_id,
            type_tag=type_tag,
            source_tag=self.source_tag,
            fields=self.fields,
            source_uuid_tag=self._source_uuid_tag(key.sha256) if self.options.source_uuid_tag else None,
        )

    def tag_name(self, tag_id: int) -> str:
        if tag_id not in self._tag_names:
            found = self.archive.label(LabelKind.TAG, tag_id)
            self._tag_names[tag_id] = found.name if found else ""
        return self._tag_names[tag_id]

    def _type(self, document_type: DocumentType) -> tuple[int, int]:
        if document_type not in self._types:
            tag = _configured(self.archive, self.options, document_type, self.names.type_tag(document_type))
            kind = self.archive.ensure_label(LabelKind.DOCUMENT_TYPE, self.names.document_type(document_type))
            self._types[document_type] = (kind.id, tag)
        return self._types[document_type]

    def _organization(self, organization_id: UUID) -> OrganizationLabels:
        if organization_id not in self._organizations:
            cached = self._cached(organization_id)
            self._organizations[organization_id] = cached or self._created(organization_id)
        return self._organizations[organization_id]

    def _cached(self, organization_id: UUID) -> OrganizationLabels | None:
        """What audit-callback remembers, if it answers and Paperless still means the same by it."""
        try:
            cached = self.audit.labels(organization_id)
        except Unavailable as exc:
            log.warning("archive.label_cache_unavailable", organizationId=str(organization_id), error=str(exc))
            return None
        return cached if cached and self._still_true(organization_id, cached) else None

    def _still_true(self, organization_id: UUID, cached: OrganizationLabels) -> bool:
        tag = self.archive.label(LabelKind.TAG, cached.tag_id)
        correspondent = self.archive.label(LabelKind.CORRESPONDENT, cached.correspondent_id)
        if tag is None or correspondent is None:
            return False
        names = (self.names.organization_tag(organization_id), self.names.correspondent(organization_id))
        return (tag.name, correspondent.name) == names

    def _created(self, organization_id: UUID) -> OrganizationLabels:
        correspondent = self.archive.ensure_label(LabelKind.CORRESPONDENT, self.names.correspondent(organization_id))
        tag = self.archive.ensure_label(LabelKind.TAG, self.names.organization_tag(organization_id))
        labels = OrganizationLabels(correspondent.id, tag.id)
        self._warn_of_tags()
        try:
            self.audit.save_labels(organization_id, labels)
        except Unavailable as exc:
            log.warning("archive.label_cache_unavailable", organizationId=str(organization_id), error=str(exc))
        return labels

    def _source_uuid_tag(self, sha256: str) -> int:
        name = self.names.source_uuid_tag(sha256)
        found = self.archive.find_label(LabelKind.TAG, name)
        if found is not None:
            return found.id
        if self.archive.count_labels(LabelKind.TAG) >= MOST_TAGS:
            raise misconfigured(f"SOURCE_UUID_TAG is on and Paperless has {MOST_TAGS} tags: turn it off")
        return self.archive.ensure_label(LabelKind.TAG, name).id

    def _warn_of_tags(self) -> None:
        count = self.archive.count_labels(LabelKind.TAG)
        if count > MOST_TAGS:
            log.warning("archive.many_tags", count=count, limit=MOST_TAGS)


def open_book(archive: Archive, audit: AuditApi, options: DrainOptions) -> LabelBook:
    """Resolve what every document shares; a missing field or tag is made, so a fresh Paperless works at once."""
    names = Names(options.prefix)
    fields = FieldIds(
        source_uuid=archive.ensure_label(LabelKind.CUSTOM_FIELD, names.field_source_uuid).id,
        organization=archive.ensure_label(LabelKind.CUSTOM_FIELD, names.field_organization).id,
        document=archive.ensure_label(LabelKind.CUSTOM_FIELD, names.field_document).id,
    )
    source_tag = _configured(archive, options, names.source_tag, names.source_tag)
    return LabelBook(archive, audit, options, names, fields, source_tag)


def _configured(archive: Archive, options: DrainOptions, entry: str, name: str) -> int:
    """An id of PAPERLESS_TAG_IDS_MAP whose name was read back, or the tag found or made by name."""
    configured = options.tag_ids.get(entry)
    if configured is None:
        return archive.ensure_label(LabelKind.TAG, name).id
    found = archive.label(LabelKind.TAG, configured)
    if found is None or found.name != name:
        actual = found.name if found else "no tag"
        raise misconfigured(f"PAPERLESS_TAG_IDS_MAP says {entry} is {configured}, which is {actual}, not {name}")
    return found.id
