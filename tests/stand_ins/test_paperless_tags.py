"""Tags: what one more costs, what they bring along, and who wins a race for a name."""

from __future__ import annotations

import pytest

from tests.stand_ins.bench import Bench
from tests.stand_ins.paperless.options import VERSIONS, ServerVersion
from tests.stand_ins.paperless.records import Label
from tests.stand_ins.paperless.tag_cost import seconds_for_one_more


def fill(bench: Bench, count: int) -> None:
    archive = bench.paperless.world.archive
    for number in range(count):
        archive.add(Label(archive.next_id("tag"), 1, kind="tag", name=f"tag {number}"))


@pytest.mark.parametrize(("tags", "least", "most"), [(500, 0.14, 0.16), (2000, 1.2, 1.4), (5000, 5, 7)])
def test_one_more_tag_takes_longer_the_more_there_are(tags: int, least: float, most: float) -> None:
    bench = Bench()
    fill(bench, tags)
    before = bench.clock.now()

    bench.tag("one more")

    assert least <= (bench.clock.now() - before).total_seconds() <= most


def test_the_cost_never_falls() -> None:
    costs = [seconds_for_one_more(tags) for tags in range(0, 20_000, 50)]

    assert costs == sorted(costs)
    assert seconds_for_one_more(50) < 0.01


def test_the_cost_can_be_switched_off() -> None:
    bench = Bench(tag_cost=False)
    fill(bench, 5000)
    before = bench.clock.now()

    bench.tag("one more")

    assert (bench.clock.now() - before).total_seconds() < 0.01


def test_correspondents_have_no_such_cost() -> None:
    bench = Bench()
    fill(bench, 5000)
    before = bench.clock.now()

    bench.alice.post("/api/correspondents/", json={"name": "Sender"})

    assert (bench.clock.now() - before).total_seconds() < 0.01


@pytest.mark.parametrize("version", VERSIONS)
def test_names_fold_the_case_of_plain_letters_only(version: ServerVersion) -> None:
    bench = Bench(version)
    bench.tag("Straße ÄÖ")

    def count(name: str) -> int:
        return int(bench.alice.get("/api/tags/", params={"name__iexact": name}).json()["count"])

    assert (count("STRAßE ÄÖ"), count("straße äö")) == (1, 0)


def test_a_child_brings_its_parent_to_an_upload() -> None:
    bench = Bench()
    parent = bench.tag("parent")
    child = bench.tag("child", parent=parent)

    number = bench.store("tagged", tags=[str(child)])

    assert sorted(bench.alice.get(f"/api/documents/{number}/").json()["tags"]) == [parent, child]


def test_tags_nest_five_deep() -> None:
    bench = Bench()
    deepest = bench.tag("1")
    for level in ("2", "3", "4", "5"):
        deepest = bench.tag(level, parent=deepest)

    reply = bench.alice.post("/api/tags/", json={"name": "6", "parent": deepest})

    assert reply.status_code == 400
    assert reply.json() == {"parent": ["Maximum nesting depth exceeded."]}


def test_inbox_tags_are_added_to_every_upload_of_whoever_sees_them() -> None:
    bench = Bench()
    inbox = bench.tag("inbox", is_inbox_tag=True)

    own, foreign = bench.store("own"), bench.store("foreign", client=bench.bob)

    assert bench.alice.get(f"/api/documents/{own}/").json()["tags"] == [inbox]
    assert bench.bob.get(f"/api/documents/{foreign}/").json()["tags"] == []


@pytest.mark.parametrize(
    ("algorithm", "match", "matched"),
    [
        (0, "Berlin", False),
        (1, "Paris Berlin", True),
        (2, "Paris Berlin", False),
        (2, "Hello Berlin", True),
        (3, "Hello from", True),
        (4, "B.rlin", True),
        (4, "^Berlin", False),
        (5, "Helo from Berlin", True),
        (6, "Berlin", False),
    ],
)
def test_a_rule_applies_by_its_algorithm(algorithm: int, match: str, *, matched: bool) -> None:
    bench = Bench()
    tag = bench.tag("rule", match=match, matching_algorithm=algorithm)

    number = bench.store("Hello from Berlin")

    assert bench.alice.get(f"/api/documents/{number}/").json()["tags"] == ([tag] if matched else [])


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ({"name": "Taken"}, {"error": "Object violates owner / name unique constraint"}),
        ({"name": "Taken", "owner": 2}, {"non_field_errors": ["The fields name, owner must make a unique set."]}),
        ({"name": "Shared"}, {"name": ["tag with this name already exists."]}),
        ({"name": "New", "color": "red"}, {"color": ["Invalid color."]}),
        ({"name": "New", "matching_algorithm": 9}, {"matching_algorithm": ['"9" is not a valid choice.']}),
        ({"name": ["x"]}, {"name": ["Not a valid string."]}),
        ([], {"non_field_errors": ["Invalid data. Expected a dictionary, but got list."]}),
    ],
)
def test_a_refused_create_says_why(body: object, answer: object) -> None:
    bench = Bench()
    bench.tag("Taken")
    bench.tag("Shared", owner=None)

    reply = bench.alice.post("/api/tags/", json=body)

    assert (reply.status_code, reply.json()) == (400, answer)


def test_renaming_onto_a_taken_name_is_refused() -> None:
    bench = Bench()
    bench.tag("Taken")
    other = bench.tag("Other")

    reply = bench.alice.patch(f"/api/tags/{other}/", json={"name": "Taken"})

    assert reply.json() == {"non_field_errors": ["The fields name, owner must make a unique set."]}


def test_deleting_a_tag_of_a_waiting_upload_fails_its_task() -> None:
    bench = Bench(consume_seconds=10)
    tag = bench.tag("short-lived")
    task = bench.upload(b"Some text.\n", "letter.txt", tags=[str(tag)])
    bench.alice.delete(f"/api/tags/{tag}/")

    bench.clock.sleep(11)

    row = bench.task(task)
    assert row["status"] == "FAILURE"
    assert "Tag matching query does not exist" in row["result"]
