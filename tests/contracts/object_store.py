"""What every object store must do."""

from __future__ import annotations

import io
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import islice
from threading import Barrier

import pytest

from shared.domain.errors import NotFound, PreconditionFailed
from shared.ports import ObjectStore

TEXT = "text/plain"
JSON = "application/json"
SIDECAR = "org/6e1b2a58-6a5c-4f0b-9d93-0d7a5a3d9f10/invoice/ab.meta.json"
MEGABYTE = 1024 * 1024


def read_all(store: ObjectStore, prefix: str) -> list[bytes]:
    found = [store.get(info.key) for info in store.list(prefix)]
    return [stored.body for stored in found if stored is not None]


class ObjectStoreContract:
    """A subclass gives two fixtures, `store` and `other`: two empty buckets of one service."""

    def test_a_new_bucket_lists_nothing(self, store: ObjectStore) -> None:
        assert list(store.list("")) == []
        assert list(store.folders("")) == []

    def test_a_bucket_that_is_there_is_reachable(self, store: ObjectStore) -> None:
        store.reachable()

    def test_what_was_put_is_read_back(self, store: ObjectStore) -> None:
        version = store.put("a", b"one", TEXT)

        stored = store.get("a")

        assert stored is not None
        assert stored.body == b"one"
        assert (stored.info.key, stored.info.size, stored.info.version) == ("a", 3, version)

    def test_stat_and_list_tell_the_same_as_get(self, store: ObjectStore) -> None:
        store.put(SIDECAR, b"one", TEXT)

        stored = store.get(SIDECAR)

        assert stored is not None
        info = store.stat(SIDECAR)
        assert info is not None
        assert (info.key, info.size, info.version) == (SIDECAR, 3, stored.info.version)
        assert [(i.key, i.size, i.version) for i in store.list("")] == [(SIDECAR, 3, stored.info.version)]

    def test_versions_have_no_quotes(self, store: ObjectStore) -> None:
        version = store.put("a", b"one", TEXT)

        assert version
        assert '"' not in version

    def test_times_know_their_zone(self, store: ObjectStore) -> None:
        store.put("a", b"one", TEXT)

        stored = store.get("a")

        assert stored is not None
        assert stored.info.updated.utcoffset() == timedelta()
        assert [info.updated.utcoffset() for info in store.list("")] == [timedelta()]

    def test_put_overwrites(self, store: ObjectStore) -> None:
        first = store.put("a", b"one", TEXT)

        second = store.put("a", b"two", TEXT)

        stored = store.get("a")
        assert stored is not None
        assert stored.body == b"two"
        assert stored.info.version == second != first

    def test_an_empty_object_is_an_object(self, store: ObjectStore) -> None:
        store.put("priority/a", b"", TEXT)

        stored = store.get("priority/a")

        assert stored is not None
        assert stored.body == b""
        with store.open("priority/a") as stream:
            assert stream.read() == b""

    def test_put_takes_a_file_from_where_it_stands(self, store: ObjectStore) -> None:
        file = io.BytesIO(b"skipped" + b"x" * MEGABYTE)
        file.seek(7)

        store.put("a", file, TEXT)

        stored = store.get("a")
        assert stored is not None
        assert stored.body == b"x" * MEGABYTE

    @pytest.mark.parametrize("key", ["control/erased/a:b", "org/a b/c+d%20&=?#~.pdf", "org:6e1b/æøå/契約.pdf"])
    def test_keys_are_taken_as_they_are(self, store: ObjectStore, other: ObjectStore, key: str) -> None:
        store.create(key, b"one", TEXT)
        other.copy(store.bucket, key, key)

        stored = other.get(key)

        assert stored is not None
        assert stored.body == b"one"
        assert [info.key for info in other.list(key)] == [key]

    def test_there_is_nothing_under_a_missing_key(self, store: ObjectStore) -> None:
        assert store.get("a") is None
        assert store.stat("a") is None
        with pytest.raises(NotFound), store.open("a"):
            pytest.fail("it opened")

    def test_delete_removes(self, store: ObjectStore) -> None:
        store.put("a", b"one", TEXT)

        store.delete("a")

        assert store.get("a") is None
        assert list(store.list("")) == []

    def test_what_is_gone_can_be_deleted_again(self, store: ObjectStore) -> None:
        store.put("a", b"one", TEXT)

        store.delete("a")
        store.delete("a")

        assert store.stat("a") is None

    def test_create_makes_what_is_not_there(self, store: ObjectStore) -> None:
        version = store.create(SIDECAR, b"{}", JSON)

        info = store.stat(SIDECAR)
        assert info is not None
        assert info.version == version

    def test_create_leaves_what_is_there(self, store: ObjectStore) -> None:
        store.create("a", b"one", TEXT)

        with pytest.raises(PreconditionFailed):
            store.create("a", b"two", TEXT)

        stored = store.get("a")
        assert stored is not None
        assert stored.body == b"one"

    def test_create_works_again_after_a_delete(self, store: ObjectStore) -> None:
        store.create("a", b"one", TEXT)
        store.delete("a")

        store.create("a", b"two", TEXT)

        stored = store.get("a")
        assert stored is not None
        assert stored.body == b"two"

    def test_of_sixteen_creators_one_wins_each_of_five_races(self, store: ObjectStore) -> None:
        start = Barrier(80)

        def create(number: int) -> bytes | None:
            body = f"by {number}".encode()
            start.wait()
            try:
                store.create(f"race/{number % 5}", body, TEXT)
            except PreconditionFailed:
                return None
            return body

        with ThreadPoolExecutor(80) as pool:
            winners = [body for body in pool.map(create, range(80)) if body is not None]

        assert sorted(winners) == sorted(read_all(store, "race/"))
        assert len(winners) == 5

    def test_replace_changes_the_version_it_names(self, store: ObjectStore) -> None:
        first = store.create("a", b"one", TEXT)

        second = store.replace("a", b"two", TEXT, first)

        stored = store.get("a")
        assert stored is not None
        assert stored.body == b"two"
        assert stored.info.version == second != first

    def test_replace_takes_the_version_a_listing_gave(self, store: ObjectStore) -> None:
        store.create("a", b"one", TEXT)
        (listed,) = store.list("")

        store.replace("a", b"two", TEXT, listed.version)

        stored = store.get("a")
        assert stored is not None
        assert stored.body == b"two"

    def test_replace_of_another_version_leaves_the_object(self, store: ObjectStore) -> None:
        first = store.create("a", b"one", TEXT)
        store.replace("a", b"two", TEXT, first)

        with pytest.raises(PreconditionFailed):
            store.replace("a", b"three", TEXT, first)

        stored = store.get("a")
        assert stored is not None
        assert stored.body == b"two"

    def test_replace_of_what_is_gone_makes_nothing(self, store: ObjectStore) -> None:
        version = store.create("a", b"one", TEXT)
        store.delete("a")

        with pytest.raises(PreconditionFailed):
            store.replace("a", b"two", TEXT, version)

        assert store.get("a") is None

    def test_of_sixteen_replacers_one_wins(self, store: ObjectStore) -> None:
        version = store.create("a", b"first", TEXT)
        start = Barrier(16)

        def replace(number: int) -> bytes | None:
            body = f"by {number}".encode()
            start.wait()
            try:
                store.replace("a", body, TEXT, version)
            except PreconditionFailed:
                return None
            return body

        with ThreadPoolExecutor(16) as pool:
            winners = [body for body in pool.map(replace, range(16)) if body is not None]

        assert winners == read_all(store, "a")

    def test_a_large_object_is_streamed_in_little_memory(self, store: ObjectStore) -> None:
        content = bytes(range(256)) * (20 * MEGABYTE // 256)
        store.put("a", content, TEXT)
        position, chunks = 0, 0

        tracemalloc.start()
        with store.open("a") as stream:
            while chunk := stream.read(64 * 1024):
                assert chunk == content[position : position + len(chunk)]
                position, chunks = position + len(chunk), chunks + 1
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

        assert position == len(content)
        assert chunks == len(content) // (64 * 1024)
        assert peak < 6 * MEGABYTE

    def test_a_stream_may_be_left_half_read(self, store: ObjectStore) -> None:
        store.put("a", b"x" * 5 * MEGABYTE, TEXT)

        with store.open("a") as stream:
            assert stream.read(10) == b"x" * 10

        assert stream.closed
        assert store.stat("a") is not None

    def test_a_stream_can_be_uploaded_again(self, store: ObjectStore) -> None:
        store.put("a", b"line\n" * 1000, TEXT)

        with store.open("a") as stream:
            assert stream.readable()
            assert stream.read() == b"line\n" * 1000

    def test_listing_is_in_the_order_of_keys_under_the_prefix(self, store: ObjectStore) -> None:
        for key in ("org/b/2", "org/a/1", "orga", "org/b/10", "org/B", "org/c.pdf", "org/c.meta.json", "zoo"):
            store.put(key, b"", TEXT)

        listed = [info.key for info in store.list("org/")]

        assert listed == ["org/B", "org/a/1", "org/b/10", "org/b/2", "org/c.meta.json", "org/c.pdf"]

    def test_listing_starts_after_a_key_there_or_not(self, store: ObjectStore) -> None:
        for key in ("org/a", "org/b", "org/c"):
            store.put(key, b"", TEXT)

        assert [info.key for info in store.list("org/", start_after="org/a")] == ["org/b", "org/c"]
        assert [info.key for info in store.list("org/", start_after="org/aa")] == ["org/b", "org/c"]
        assert [info.key for info in store.list("org/", start_after="org/c")] == []
        assert [info.key for info in store.list("org/", start_after="a")] == ["org/a", "org/b", "org/c"]

    def test_listing_goes_over_many_pages(self, store: ObjectStore) -> None:
        keys = [f"many/{number:04}" for number in range(2500)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda key: store.put(key, b"", TEXT), keys))

        assert [info.key for info in store.list("many/")] == keys
        assert [info.key for info in store.list("many/", start_after="many/1233")] == keys[1234:]
        assert [info.key for info in islice(store.list("many/"), 3)] == keys[:3]

    def test_a_key_may_be_the_beginning_of_another(self, store: ObjectStore) -> None:
        store.put("control/paused/a", b"a", TEXT)
        store.put("control/paused", b"all", TEXT)

        store.delete("control/paused")

        assert store.stat("control/paused") is None
        assert [info.key for info in store.list("control/")] == ["control/paused/a"]

    def test_folders_are_the_prefixes_up_to_the_next_slash(self, store: ObjectStore) -> None:
        for key in ("org/b/invoice/1", "org/a/invoice/1", "org/a/contract/1", "org/a/contract/2", "org/file", "x/y"):
            store.put(key, b"", TEXT)

        assert list(store.folders("org/")) == ["org/a/", "org/b/"]
        assert list(store.folders("org/a/")) == ["org/a/contract/", "org/a/invoice/"]
        assert list(store.folders("")) == ["org/", "x/"]
        assert list(store.folders("none/")) == []

    def test_folders_go_over_many_pages(self, store: ObjectStore) -> None:
        names = [f"org/{number:04}/" for number in range(1200)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda name: store.put(f"{name}file", b"", TEXT), names))

        assert list(store.folders("org/")) == names

    def test_copy_within_a_bucket_overwrites(self, store: ObjectStore) -> None:
        store.put("a", b"one", TEXT)
        store.put("b", b"two", TEXT)

        store.copy(store.bucket, "a", "b")

        stored = store.get("b")
        assert stored is not None
        assert stored.body == b"one"
        assert store.stat("a") is not None

    def test_copy_between_buckets(self, store: ObjectStore, other: ObjectStore) -> None:
        version = store.put("a", b"one", TEXT)

        other.copy(store.bucket, "a", "kept/a", version=version)

        stored = other.get("kept/a")
        assert stored is not None
        assert stored.body == b"one"
        assert other.stat("a") is None

    def test_copy_of_a_missing_object_is_refused(self, store: ObjectStore, other: ObjectStore) -> None:
        with pytest.raises(NotFound):
            other.copy(store.bucket, "a", "a")

        assert other.stat("a") is None

    def test_copy_of_another_version_is_refused(self, store: ObjectStore, other: ObjectStore) -> None:
        stale = store.put("a", b"one", TEXT)
        store.put("a", b"two", TEXT)

        with pytest.raises(PreconditionFailed):
            other.copy(store.bucket, "a", "a", version=stale)

        assert other.stat("a") is None

    def test_a_presigned_put_names_its_type_its_size_and_its_end(self, store: ObjectStore) -> None:
        presigned = store.presign_put("uploads/a", 1234, "application/pdf", timedelta(minutes=5))

        assert "uploads/a" in presigned.url
        assert presigned.headers["Content-Type"] == "application/pdf"
        assert presigned.headers["Content-Length"] == "1234"
        assert abs(presigned.expires_at - self.now() - timedelta(minutes=5)) < timedelta(seconds=30)

    def test_a_presigned_get_names_its_object_and_its_end(self, store: ObjectStore) -> None:
        store.put("org/a.pdf", b"content", TEXT)

        presigned = store.presign_get("org/a.pdf", timedelta(minutes=5))

        assert "org/a.pdf" in presigned.url
        assert abs(presigned.expires_at - self.now() - timedelta(minutes=5)) < timedelta(seconds=30)

    def now(self) -> datetime:
        return datetime.now(UTC)
