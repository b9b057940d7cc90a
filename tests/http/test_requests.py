"""Reading requests: values come out, or the field that is wrong is named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from flask import Request
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from werkzeug.test import EnvironBuilder

from shared.domain.errors import InvalidInput
from shared.http.requests import idempotency_key, json_body, query, text_fields, uuid_parameter
from shared.http.router import Call

if TYPE_CHECKING:
    from flask.testing import FlaskClient


class Person(BaseModel):
    name: str = Field(alias="fullName", max_length=10)


class Letter(BaseModel):
    id: UUID
    to: list[Person] = []
    urgent: bool = False


ID = "550e8400-e29b-41d4-a716-446655440000"


def posted(body: bytes | str) -> Request:
    return Request(EnvironBuilder(method="POST", data=body, content_type="application/json").get_environ())


def asked(**headers: str) -> Request:
    return Request(EnvironBuilder(headers=list(headers.items())).get_environ())


class TestJson:
    def test_a_body_becomes_its_model(self) -> None:
        letter = json_body(posted(json.dumps({"id": ID, "to": [{"fullName": "Kari"}]})), Letter)

        assert (letter.id, letter.to[0].name) == (UUID(ID), "Kari")

    @pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"{'id': 1}", b"NaN", b"[" * 100_000])
    def test_what_is_not_json_is_400(self, body: bytes) -> None:
        with pytest.raises(InvalidInput, match="not valid JSON") as refused:
            json_body(posted(body), Letter)

        assert (refused.value.field, refused.value.unprocessable) == ("body", False)

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({}, "id"),
            ({"id": "no"}, "id"),
            ({"id": ID, "colour": "red"}, "colour"),
            ({"id": ID, "to": [{"fullName": "Kari"}, {"fullName": "far too long a name"}]}, "to.1.fullName"),
            ({"id": ID, "to": [{"fullName": "Kari", "age": 3}]}, "to.0.age"),
            ([], "body"),
            ("text", "body"),
        ],
    )
    def test_a_wrong_field_is_422_and_named_by_its_path(self, body: object, field: str) -> None:
        with pytest.raises(InvalidInput) as refused:
            json_body(posted(json.dumps(body)), Letter)

        assert (refused.value.field, refused.value.unprocessable) == (field, True)

    @pytest.mark.parametrize("character", ["\0", "\n", "\x1b", "\x7f", "\x85"])
    def test_control_characters_are_refused_in_any_text(self, character: str) -> None:
        with pytest.raises(InvalidInput, match="Control characters") as refused:
            json_body(posted(json.dumps({"id": ID, "to": [{"fullName": f"Ka{character}ri"}]})), Letter)

        assert refused.value.field == "to.0.fullName"

    @settings(max_examples=50)
    @given(
        st.recursive(
            st.none() | st.booleans() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
        )
    )
    def test_any_json_is_either_the_model_or_refused(self, body: object) -> None:
        with pytest.raises(InvalidInput):
            json_body(posted(json.dumps(body)), Letter)


class TestText:
    def test_text_becomes_what_the_model_wants(self) -> None:
        letter = text_fields({"id": ID, "urgent": "true"}, Letter)

        assert letter.urgent is True

    def test_an_unknown_field_is_named(self) -> None:
        with pytest.raises(InvalidInput) as refused:
            text_fields({"id": ID, "colour": "red"}, Letter)

        assert refused.value.field == "colour"

    def test_control_characters_are_refused(self) -> None:
        with pytest.raises(InvalidInput, match="Control characters"):
            text_fields({"id": ID + "\0"}, Letter)


class TestQuery:
    def test_parameters_are_read_and_have_defaults(self, client: FlaskClient) -> None:
        sizes = [client.get("/pages?size=3").get_json(), client.get("/pages").get_json()]

        assert sizes == [3, 25]

    @pytest.mark.parametrize(("asked", "field"), [("size=x", "size"), ("size=1&size=2", "size"), ("sise=1", "sise")])
    def test_a_wrong_one_is_400_and_named(self, client: FlaskClient, asked: str, field: str) -> None:
        response = client.get(f"/pages?{asked}")

        assert (response.status_code, response.get_json()["field"]) == (400, field)

    def test_control_characters_are_refused(self) -> None:
        request = Request(EnvironBuilder(query_string={"id": f"{ID}\0"}).get_environ())

        with pytest.raises(InvalidInput, match="Control characters"):
            query(request, Letter)


class TestUuids:
    def test_either_case_is_the_same_uuid(self) -> None:
        call = Call(asked(), {"id": ID.upper()}, None)

        assert uuid_parameter(call, "id") == UUID(ID)

    @pytest.mark.parametrize("value", ["1", ID.replace("-", ""), f"{{{ID}}}", f"urn:uuid:{ID}", f"{ID}\n"])
    def test_other_spellings_are_refused(self, value: str) -> None:
        with pytest.raises(InvalidInput, match="id is not a UUID"):
            uuid_parameter(Call(asked(), {"id": value}, None), "id")


class TestIdempotencyKey:
    def test_it_may_be_absent(self) -> None:
        assert idempotency_key(asked()) is None

    def test_it_is_taken_as_it_is(self) -> None:
        assert idempotency_key(asked(**{"Idempotency-Key": "a-1:b"})) == "a-1:b"

    @pytest.mark.parametrize("key", ["", "a b", "ø", "x" * 256])
    def test_a_strange_one_is_refused(self, key: str) -> None:
        with pytest.raises(InvalidInput) as refused:
            idempotency_key(asked(**{"Idempotency-Key": key}))

        assert refused.value.field == "Idempotency-Key"
