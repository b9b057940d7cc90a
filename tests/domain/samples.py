"""Values to test with, and how Hypothesis makes more of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import strategies as st

from shared.domain.keys import DocumentType, ObjectKey
from shared.domain.sidecar import Document, Failure, Lease, Priority, Sidecar, State, Submission, Verdict

NOW = datetime(2026, 5, 8, 12, tzinfo=UTC)
KEY = ObjectKey(UUID(int=7), DocumentType.INVOICE, "ab" * 32)
LATER = NOW + timedelta(minutes=4)


def lease(nonce: str = "nonce-2", owner: str = "run-2") -> Lease:
    return Lease(owner=owner, nonce=nonce, until=LATER)


def document(number: int = 1) -> Document:
    return Document(bilko_document_id=UUID(int=number), timestamp=NOW)


def sidecar(key: ObjectKey = KEY, **fields: object) -> Sidecar:
    values = {
        "r2_uuid": key.sha256,
        "organization_id": key.organization_id,
        "organization_name": "Firma AS",
        "document_type": key.document_type,
        "bilko_document_id": UUID(int=1),
        "timestamp": NOW,
        "sha256": key.sha256,
        "documents": (document(),),
        "size": 1000,
        "md5": "cd" * 16,
        "revision": "nonce-1",
        **fields,
    }
    return Sidecar.model_validate(values)


texts = st.text(st.characters(codec="utf-8"), max_size=40)
moments = st.integers(0, 4_000_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
hashes = st.text("0123456789abcdef", min_size=64, max_size=64)
keys = st.builds(ObjectKey, st.uuids(), st.sampled_from(DocumentType), hashes)
documents = st.fixed_dictionaries(
    {
        "bilko_document_id": st.uuids(),
        "invoice_number": st.none() | texts,
        "contract_id": st.none() | texts,
        "trace_id": st.none() | texts,
        "timestamp": moments,
    }
).map(Document.model_validate)
leases = st.fixed_dictionaries({"owner": texts, "nonce": texts, "until": moments}).map(Lease.model_validate)
failures = st.fixed_dictionaries({"at": moments, "kind": texts, "message": texts, "charged": st.booleans()}).map(
    Failure.model_validate
)
submissions = st.fixed_dictionaries(
    {
        "file_name": texts,
        "at": moments,
        "attempt": st.integers(1, 50),
        "answer_lost": st.booleans(),
        "missing_since": st.none() | moments,
    }
).map(Submission.model_validate)


@st.composite
def sidecars(draw: st.DrawFn, state: State | None = None) -> Sidecar:
    return sidecar(
        draw(keys),
        organization_name=draw(texts),
        timestamp=draw(moments),
        retry_count=draw(st.integers(0, 5)),
        documents=draw(st.lists(documents, min_size=1, max_size=3)),
        priority=draw(st.sampled_from(Priority)),
        state=draw(st.sampled_from(State)) if state is None else state,
        submitting=draw(st.none() | submissions),
        unresolved=draw(st.integers(0, 6)),
        submissions=draw(st.integers(0, 12)),
        task_id=draw(st.none() | texts),
        paperless_document_id=draw(st.none() | st.integers(1)),
        surplus=draw(st.lists(st.integers(1), max_size=2)),
        verdict=draw(st.none() | st.sampled_from(Verdict)),
        lease=draw(st.none() | leases),
        errors=draw(st.lists(failures, max_size=20)),
    )
