"""Errors say their own sentence."""

from __future__ import annotations

import pytest

from shared.domain.errors import (
    Ambiguous,
    ArchiveQueueFailure,
    ArchivoltError,
    Gone,
    InvalidInput,
    Throttled,
    Unavailable,
)


@pytest.mark.parametrize("kind", [Gone, Unavailable, ArchiveQueueFailure, Ambiguous])
def test_without_words_an_error_says_what_its_class_says(kind: type[ArchivoltError]) -> None:
    assert kind().message == (kind.__doc__ or "").strip()


def test_a_queue_failure_is_told_in_the_words_of_the_specification() -> None:
    assert ArchiveQueueFailure().message == "Document archived pending. Retry in 5 minutes."


def test_what_may_be_tried_again_is_one_family() -> None:
    assert all(issubclass(kind, Unavailable) for kind in (Throttled, Ambiguous, ArchiveQueueFailure))


def test_a_wrong_field_is_named() -> None:
    error = InvalidInput("sha256", "another digest", unprocessable=True)

    assert (error.field, error.message, error.unprocessable) == ("sha256", "another digest", True)
