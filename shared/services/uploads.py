"""Large PDFs: an address to upload to, and taking in what was uploaded there."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from shared.domain.errors import ArchiveQueueFailure, InvalidInput, NotFound, PreconditionFailed, TooLarge, Unavailable
from shared.domain.keys import PDF_SUFFIX, UPLOADS_ROOT
from shared.domain.submission import Accepted, FinishedUpload, UploadAddress, UploadRequest
from shared.observability.logs import Log
from shared.services.archive_write import PDF, Staged, WriteParts, chunks, commit, scanned

log = Log(__name__)

LIFETIME = timedelta(minutes=15)


def offer(parts: WriteParts, request: UploadRequest, largest: int) -> UploadAddress:
    """One PUT of exactly this size and type, for a quarter of an hour."""
    if request.size > largest:
        raise TooLarge(f"the document is larger than {largest} bytes")
    upload_id = parts.nonce()
    address = parts.queue.presign_put(upload_key(request.organization_id, upload_id), request.size, PDF, LIFETIME)
    return UploadAddress(upload_id=upload_id, url=address.url, headers=address.headers, expires_at=address.expires_at)


def archive_upload(parts: WriteParts, upload: FinishedUpload, largest: int, trace_id: str | None) -> Accepted:
    """Hashed as it lies there, then copied on condition that it is still the object that was hashed."""
    name = upload_key(upload.organization_id, upload.upload_id)
    try:
        info = parts.queue.stat(name)
        if info is None:
            raise InvalidInput("uploadId", "there is no finished upload of this id for this organisation")
        if info.size > largest:
            raise TooLarge(f"the document is larger than {largest} bytes")
        with parts.queue.open(name) as body:
            key, scan = scanned(upload, chunks(body))
    except NotFound:
        raise InvalidInput("uploadId", "the upload is no longer there") from None
    except Unavailable as exc:
        raise ArchiveQueueFailure from exc

    def stage() -> None:
        try:
            parts.queue.copy(parts.queue.bucket, name, key.pdf, version=info.version)
        except (NotFound, PreconditionFailed):
            raise InvalidInput("uploadId", "the upload was changed while it was taken in") from None

    accepted = commit(parts, upload, Staged(key, scan.size, scan.md5, stage), trace_id)
    _tidy(parts, name)
    return accepted


def upload_key(organization_id: UUID, upload_id: str) -> str:
    return f"{UPLOADS_ROOT}{organization_id}/{upload_id}{PDF_SUFFIX}"


def _tidy(parts: WriteParts, name: str) -> None:
    """The bucket's lifecycle rule removes what stays behind."""
    try:
        parts.queue.delete(name)
    except Unavailable as exc:
        log.warning("archive.upload_left", r2Key=name, error=str(exc))
