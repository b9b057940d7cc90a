"""The proofs in a short form, so that every change meets them; the long form is `scripts/prove NAME`."""

from __future__ import annotations

import pytest

from tests.prove import crash_points, outage, real_kills, redrive, simulation
from tests.prove.model import LawBroken, Model
from tests.prove.report import Proof
from tests.prove.site import Letter, Site
from tests.stand_ins.paperless.options import ServerVersion


@pytest.mark.parametrize("version", ["3.0.5", "2.20.15"])
def test_a_process_killed_at_any_effect_is_recovered_from(version: ServerVersion) -> None:
    proof = Proof("crash-points")

    crash_points.run(proof, stride=3, versions=(version,))

    assert proof.failures == []
    assert proof.figures["recovered"] == proof.figures["points"]


def test_a_real_process_killed_by_sigkill_is_recovered_from() -> None:
    proof = Proof("crash-points")

    real_kills.run(proof, stride=8)

    assert proof.failures == []


@pytest.mark.parametrize("first", [100, 104])
def test_the_law_balances_in_any_weather(first: int) -> None:
    proof = Proof("simulation")

    simulation.run(proof, range(first, first + 4))

    assert proof.failures == []
    assert proof.figures["seeds"] == 4


@pytest.mark.parametrize("version", ["3.0.5", "2.20.15"])
def test_a_day_without_paperless_loses_and_charges_nobody(version: ServerVersion) -> None:
    proof = Proof("outage")

    outage.run(proof, versions=(version,))

    assert proof.failures == []
    assert proof.figures["outages"] == len(outage.OUTAGES)


@pytest.mark.parametrize("seed", [1, 2])
def test_letters_sent_back_by_two_at_once_are_neither_lost_nor_doubled(seed: int) -> None:
    proof = Proof("redrive")

    redrive.run(proof, letters=300, delivered=40, seed=seed)

    assert proof.failures == []
    assert (proof.figures["delivered to the end"], proof.figures["queued again, whole"]) == (40, 260)


def test_a_failing_seed_replays_exactly() -> None:
    first, second = Proof("simulation"), Proof("simulation")

    simulation.run(first, range(7, 8))
    simulation.run(second, range(7, 8))

    assert first.figures == second.figures


def test_the_law_notices_a_lost_document() -> None:
    """A check that cannot fail proves nothing: take an accepted document away behind everybody's back."""
    site = Site()
    model = Model(site)
    letter = Letter("Firma AS", "lost", "lost")
    site.send(letter)
    model.promise(letter)
    model.balance()

    site.queue.delete(letter.key.sidecar)

    with pytest.raises(LawBroken):
        model.balance()
