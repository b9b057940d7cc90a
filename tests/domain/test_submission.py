"""What an application may send."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from shared.domain.submission import FinishedUpload, Submission, UploadRequest

GOOD = {
    "organizationId": str(UUID(int=7)),
    "organizationName": "Firma AS",
    "documentType": "invoice",
    "bilkoDocumentId": str(UUID(int=1)),
    "sha256": "ab" * 32,
}


def complaint(values: dict[str, object]) -> str:
    with pytest.raises(ValidationError) as refused:
        Submission.model_validate(values)
    return str(refused.value.errors()[0]["loc"][0])


def test_the_five_required_fields_are_enough() -> None:
    submission = Submission.model_validate(GOOD)

    assert (submission.priority, submission.allow_encrypted) == ("NORMAL", False)


@pytest.mark.parametrize("field", GOOD)
def test_a_missing_field_is_named(field: str) -> None:
    assert complaint({name: value for name, value in GOOD.items() if name != field}) == field


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("organizationId", "7"),
        ("organizationName", ""),
        ("organizationName", "   "),
        ("organizationName", "x" * 129),
        ("documentType", "receipt"),
        ("bilkoDocumentId", "not-a-uuid"),
        ("sha256", "ab" * 31),
        ("sha256", "zz" * 32),
        ("invoiceNumber", "x" * 129),
        ("invoiceNumber", "1\x00"),
        ("contractId", "a\nb"),
        ("priority", "URGENT"),
        ("surprise", "1"),
    ],
)
def test_a_wrong_field_is_named(field: str, value: str) -> None:
    assert complaint({**GOOD, field: value}) == field


@given(st.sampled_from([*map(chr, range(32)), *map(chr, range(0x7F, 0xA0)), "\u2028", "\u2029"]))
def test_control_characters_inside_a_text_are_refused(character: str) -> None:
    assert complaint({**GOOD, "organizationName": f"Firma{character}AS"}) == "organizationName"


def test_a_digest_in_capitals_is_the_same_digest() -> None:
    assert Submission.model_validate({**GOOD, "sha256": "AB" * 32}).sha256 == "ab" * 32


def test_an_upload_id_is_ours_or_none() -> None:
    assert FinishedUpload.model_validate({**GOOD, "uploadId": "0" * 32}).upload_id == "0" * 32
    with pytest.raises(ValidationError):
        FinishedUpload.model_validate({**GOOD, "uploadId": "../" + "0" * 29})


@pytest.mark.parametrize("size", [0, -1])
def test_an_upload_has_a_size(size: int) -> None:
    with pytest.raises(ValidationError):
        UploadRequest.model_validate({"organizationId": GOOD["organizationId"], "size": size})
