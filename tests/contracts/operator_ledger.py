"""What every ledger must do for operators."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from shared.domain.audit import AcceptedDocument, ArchiveReport, Disposition, Event, OrganizationLabels
from shared.domain.dead_letters import DeadSummary, LetterFilter, Standing
from shared.domain.holds import Hold
from shared.domain.keys import DocumentType, ObjectKey
from shared.ports import OperatorLedger
from tests.contracts.ledger import LATER, NAME, NOON, Sources, archived, handed_in, key_of, report, seal_all, sign

EVERY = LetterFilter()


def dead(
    document: AcceptedDocument, reason: str = "refused", error: str = "413", disposition: Disposition = Disposition.DEAD
) -> ArchiveReport:
    return replace(report(document.key, disposition, document, error=error), reason=reason, retry_count=3)


def hold(organization_id: UUID, document_id: UUID | None = None) -> Hold:
    return Hold(
        id=uuid4(),
        organization_id=organization_id,
        document_id=document_id,
        reason="a lawsuit",
        actor="counsel",
        placed_at=NOON,
    )


class OperatorLedgerContract:
    """Subclasses give `ledger` and `sources`."""

    @pytest.fixture
    def ledger(self) -> OperatorLedger:
        raise NotImplementedError

    @pytest.fixture
    def sources(self, ledger: OperatorLedger) -> Sources:
        raise NotImplementedError

    @pytest.fixture
    def organization(self) -> UUID:
        return uuid4()

    def bury(self, ledger: OperatorLedger, key: ObjectKey, reason: str = "refused") -> AcceptedDocument:
        document = handed_in(key)
        ledger.accept(document)
        ledger.record(dead(document, reason), LATER, sign)
        return document

    def test_a_row_knows_when_it_last_died(self, ledger: OperatorLedger, organization: UUID) -> None:
        key = key_of(organization)
        document = self.bury(ledger, key)
        again = LATER + timedelta(days=2)

        ledger.record(dead(document), again, sign)
        still = ledger.job(key)[0].dead_at
        ledger.record(report(key, Disposition.QUEUED, document), again, sign)
        ledger.record(dead(document), again, sign)

        assert (still, ledger.job(key)[0].dead_at) == (LATER, again)

    def test_a_row_remembers_how_often_it_was_sent_back(self, ledger: OperatorLedger, organization: UUID) -> None:
        document = self.bury(ledger, key_of(organization))
        sent_back = replace(report(document.key, Disposition.QUEUED, document), redrives=2)

        ledger.record(sent_back, LATER, sign)
        ledger.record(archived(document.key, document), LATER, sign)

        assert ledger.job(document.key)[0].redrives == 2

    def test_what_is_said_of_a_letter_leaves_a_row_alone_that_was_queued_again(
        self, ledger: OperatorLedger, organization: UUID
    ) -> None:
        key = key_of(organization)
        dies, comes_again = self.bury(ledger, key), self.bury(ledger, key)
        ledger.accept(comes_again)

        ledger.record(replace(report(key, Disposition.DISCARDED, dies, comes_again), unless_queued=True), LATER, sign)

        assert {row.document_id: row.disposition for row in ledger.job(key)} == {
            dies.document_id: Disposition.DISCARDED,
            comes_again.document_id: Disposition.QUEUED,
        }

    def test_what_is_said_of_a_letter_makes_the_rows_that_are_missing(
        self, ledger: OperatorLedger, organization: UUID
    ) -> None:
        document = handed_in(key_of(organization))

        ledger.record(replace(report(document.key, Disposition.EXPIRED, document), unless_queued=True), LATER, sign)

        assert ledger.job(document.key)[0].disposition is Disposition.EXPIRED

    def test_dead_letters_come_in_the_order_of_keys_one_for_each(
        self, ledger: OperatorLedger, organization: UUID
    ) -> None:
        keys = [
            key_of(organization, digit, kind)
            for digit in "ba"
            for kind in (DocumentType.INVOICE, DocumentType.CONTRACT)
        ]
        for key in keys:
            self.bury(ledger, key)
        self.bury(ledger, keys[0])
        ledger.accept(handed_in(key_of(organization, "c")))

        found = ledger.dead_letters(LetterFilter(organization_id=organization), LATER, "", 10)

        assert [row.object_key for row in found] == sorted(key.pdf for key in keys)
        assert [row.documents for row in found if row.object_key == keys[0].pdf] == [2]

    def test_a_dead_letter_says_why_since_when_and_how_often_it_was_sent_back(
        self, ledger: OperatorLedger, organization: UUID
    ) -> None:
        document = self.bury(ledger, key_of(organization))
        ledger.record(replace(dead(document), redrives=1), LATER, sign)

        (row,) = ledger.dead_letters(LetterFilter(organization_id=organization), LATER, "", 10)

        assert (row.reason, row.last_error, row.dead_at, row.redrives) == ("refused", "413", LATER, 1)

    def test_a_page_ends_at_its_limit_and_the_next_begins_after_it(
        self, ledger: OperatorLedger, organization: UUID
    ) -> None:
        keys = sorted(key_of(organization, digit) for digit in "0123456789")
        for key in keys:
            self.bury(ledger, key)
        wanted = LetterFilter(organization_id=organization)

        first = ledger.dead_letters(wanted, LATER, "", 4)
        second = ledger.dead_letters(wanted, LATER, first[-1].object_key, 20)

        assert [row.key for row in (*first, *second)] == keys
        assert len(first) == 4

    @pytest.mark.parametrize(
        ("wanted", "expected"),
        [
            ({}, "ba"),
            ({"document_type": "contract"}, "b"),
            ({"reason": "not_accepted"}, "b"),
            ({"reason": "orphan_pdf"}, ""),
            ({"min_age_hours": 24}, "a"),
            ({"min_age_hours": 49}, ""),
            ({"document_type": "invoice", "reason": "refused", "min_age_hours": 1}, "a"),
        ],
    )
    def test_filters_narrow_a_page(
        self, ledger: OperatorLedger, organization: UUID, wanted: dict[str, object], expected: str
    ) -> None:
        self.bury(ledger, key_of(organization, "a"))
        young = handed_in(key_of(organization, "b", DocumentType.CONTRACT))
        ledger.record(dead(young, "not_accepted"), LATER + timedelta(days=2), sign)
        now = LATER + timedelta(days=2)

        found = ledger.dead_letters(
            LetterFilter.model_validate({"organization_id": organization, **wanted}), now, "", 10
        )

        assert "".join(row.key.sha256[0] for row in found) == expected

    def test_another_organisations_letters_are_not_in_the_page(self, ledger: OperatorLedger) -> None:
        mine, other = key_of(uuid4()), key_of(uuid4())
        self.bury(ledger, mine)
        self.bury(ledger, other)

        found = ledger.dead_letters(LetterFilter(organization_id=mine.organization_id), LATER, "", 10)

        assert [row.key for row in found] == [mine]
        assert {mine, other} <= {row.key for row in ledger.dead_letters(EVERY, LATER, "", 10)}

    def test_the_summary_counts_by_reason_and_by_what_became_of_the_redriven(
        self, ledger: OperatorLedger, organization: UUID
    ) -> None:
        for digit in "ab":
            self.bury(ledger, key_of(organization, digit))
        back = self.bury(ledger, key_of(organization, "c"), "not_accepted")
        ledger.record(replace(report(back.key, Disposition.QUEUED, back), redrives=1), LATER, sign)
        ledger.record(archived(back.key, back), LATER, sign)

        summary = ledger.dead_summary()

        assert summary == DeadSummary(by_reason={"refused": 2}, redriven={Disposition.ARCHIVED: 1})

    def test_a_standing_tells_of_every_document_of_a_key(self, ledger: OperatorLedger, organization: UUID) -> None:
        key, unknown = key_of(organization), key_of(organization, "f")
        first, second = self.bury(ledger, key), self.bury(ledger, key)
        ledger.record(archived(key, second), LATER, sign)

        standings = ledger.standings([unknown, key])

        assert standings == [
            Standing(object_key=unknown.pdf, documents={}),
            Standing(
                object_key=key.pdf,
                documents={first.document_id: Disposition.DEAD, second.document_id: Disposition.ARCHIVED},
                reason="refused",
            ),
        ]

    def test_a_source_copy_is_confirmed_while_the_application_has_this_as_its_latest(
        self, ledger: OperatorLedger, sources: Sources, organization: UUID
    ) -> None:
        key, later = key_of(organization), key_of(organization, "b")
        document = handed_in(key)
        ledger.save_labels(organization, NAME, OrganizationLabels(1, 2))
        sources.add(key.document_type, document.document_id, organization)
        ledger.accept(document)
        ledger.record(dead(document), LATER, sign)

        before = ledger.standings([key])[0].source_confirmed
        ledger.accept(handed_in(later, document.document_id, at=LATER))
        after = ledger.standings([key])[0].source_confirmed

        assert (before, after) == (True, False)

    def test_a_source_copy_of_another_organisation_or_of_a_type_without_table_confirms_nothing(
        self, ledger: OperatorLedger, sources: Sources, organization: UUID
    ) -> None:
        stranger, plan = uuid4(), key_of(organization, document_type=DocumentType.CARE_PLAN)
        document = self.bury(ledger, key_of(organization))
        ledger.save_labels(stranger, NAME, OrganizationLabels(1, 2))
        sources.add(DocumentType.INVOICE, document.document_id, stranger)
        self.bury(ledger, plan)

        assert [each.source_confirmed for each in ledger.standings([document.key, plan])] == [False, False]

    def test_a_hold_covers_its_document_or_all_of_its_organisation(
        self, ledger: OperatorLedger, organization: UUID
    ) -> None:
        document, other = self.bury(ledger, key_of(organization)), self.bury(ledger, key_of(organization, "b"))
        stranger = self.bury(ledger, key_of(uuid4()))
        one, everything = hold(organization, document.document_id), hold(organization)
        ledger.place_hold(one)
        ledger.place_hold(everything)

        standings = ledger.standings([document.key, other.key, stranger.key])

        assert [set(each.holds) for each in standings] == [{one.id, everything.id}, {everything.id}, set()]
        assert {each.id for each in ledger.holds(organization)} == {one.id, everything.id}
        assert ledger.holds(stranger.key.organization_id) == []

    def test_a_lifted_hold_holds_no_longer(self, ledger: OperatorLedger, organization: UUID) -> None:
        placed = hold(organization)
        ledger.place_hold(placed)

        lifted = [ledger.lift_hold(organization, placed.id, "counsel", LATER) for _ in range(2)]

        assert lifted == [True, False]
        assert ledger.holds(organization) == []

    def test_a_hold_is_lifted_in_its_own_organisation_only(self, ledger: OperatorLedger, organization: UUID) -> None:
        placed = hold(organization)
        ledger.place_hold(placed)

        assert not ledger.lift_hold(uuid4(), placed.id, "counsel", LATER)
        assert ledger.holds(organization) == [placed]

    def test_each_operation_leaves_one_event_and_a_repetition_none(
        self, ledger: OperatorLedger, organization: UUID
    ) -> None:
        placed = hold(organization)
        ledger.operator_event(Event(organization, "dead_letter.redrive", "operator", "a job"))
        for _ in range(2):
            ledger.place_hold(placed)
            ledger.lift_hold(organization, placed.id, "counsel", LATER)

        assert sum(seal_all(ledger, 3)) == 3
        assert ledger.seal(100) == 0
