"""All functions behind one port, each reached by its name and told no more than it is given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from scripts.local import functions, ports
from scripts.local.errors import CannotStartError
from scripts.local.function_facts import Schedule, read_all
from scripts.local.functions import Functions
from tests.local.servers import started
from tests.local.tiny_functions import write_function


def serve(folder: Path, **env: str) -> Functions:
    return functions.launch(ports.listen(0), env, log=folder / "functions.log", folder=folder)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Functions]:
    folder = tmp_path_factory.mktemp("functions")
    write_function(folder, "first-one")
    write_function(folder, "second-one")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECRET_OF_THIS_MACHINE", "not for functions")
        with started(serve(folder, INTERNAL_API_KEY="given")) as server:
            yield server


def get(url: str) -> Any:
    return httpx.get(url, timeout=5).json()


@pytest.mark.parametrize("name", ["first-one", "second-one"])
def test_each_function_is_reached_by_its_name_and_sees_its_own_paths(server: Functions, name: str) -> None:
    answer = get(f"{server.url}/{name}/v1/things/7")

    assert answer["function"] == name.replace("-", "_")
    assert answer["path"] == "/v1/things/7"


def test_the_root_lists_the_functions_and_an_unknown_name_is_not_found(server: Functions) -> None:
    assert get(server.url) == {"functions": ["first-one", "second-one"]}
    assert httpx.get(f"{server.url}/third-one/", timeout=5).status_code == 404


def test_a_function_sees_what_the_stack_gives_and_nothing_else_of_this_machine(server: Functions) -> None:
    variables = get(f"{server.url}/first-one/")["variables"]

    assert "INTERNAL_API_KEY" in variables
    assert "SECRET_OF_THIS_MACHINE" not in variables
    assert "HOME" not in variables


def test_a_function_that_refuses_to_start_is_reported_in_its_own_words(tmp_path: Path) -> None:
    write_function(tmp_path, "broken", code="raise ValueError('DATABASE_URL is missing')")
    server = serve(tmp_path)

    with pytest.raises(CannotStartError, match=r"(?s)The functions ended at once.*DATABASE_URL is missing"):
        server.wait_ready()


def test_a_folder_is_a_function_when_it_has_both_files(tmp_path: Path) -> None:
    write_function(tmp_path, "drain", schedule={"cron": "*/5 * * * *", "body": {"shard": 1}, "localSeconds": 5})
    (tmp_path / "not-a-function").mkdir()

    [facts] = read_all(tmp_path)

    assert (facts.name, facts.entry_point) == ("drain", "drain")
    assert facts.schedule == Schedule(cron="*/5 * * * *", path="/", body={"shard": 1}, local_seconds=5.0)


def test_a_function_json_without_an_entry_point_is_named(tmp_path: Path) -> None:
    write_function(tmp_path, "nameless")
    (tmp_path / "nameless" / "function.json").write_text("{}")

    with pytest.raises(CannotStartError, match=r"nameless/function\.json is wrong.*entryPoint"):
        read_all(tmp_path)
