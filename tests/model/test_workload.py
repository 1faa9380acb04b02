"""Fields, shapes and tables of workloads, each as the engine reads them."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.model.fields import fault, filled, rows_of
from bakeoff.model.shape import checked_shape, mismatch
from bakeoff.model.workload import Workload


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("/plain", "/plain"),
        ("/{{id}}/{{ id }}", "/7/7"),
        ("{{random -3 4}}", "-3"),
        ("{{hex 3}}", "000"),
        ("{id} }}", "{id} }}"),
    ],
)
def test_fields_are_filled_in(text: str, becomes: str) -> None:
    assert fault(text, ["id"]) == ""
    assert filled(text, {"id": "7"}) == becomes


@pytest.mark.parametrize("text", ["{{random 4}}", "{{hex 0}}", "{{hex 1025}}", "{{}}"])
def test_what_is_no_field_is_a_fault(text: str) -> None:
    assert fault(text, ["id"])


@pytest.mark.parametrize(
    ("value", "shape", "says"),
    [
        (1, "number", ""),
        (1.5, "number|null", ""),
        (None, "number|null", ""),
        (True, "number", "it is boolean, not number"),
        ({"a": {"b": [1, "x"]}}, {"a": {"b": ["number"]}}, "/a/b/1 is string, not number"),
        ({"a": 1, "more": 2}, {"a": "number"}, ""),
        ({}, {"a": "any"}, "/a is missing"),
        ({}, {"a?": "string"}, ""),
        ({"a": 1}, {"a?": "string"}, "/a is number, not string"),
        ([], ["number"], ""),
        ([1, "x"], [], ""),
        ({}, [], "it is object, not an array"),
        ("x", {}, "it is string, not an object"),
    ],
)
def test_a_value_is_held_against_a_shape(value: Any, shape: Any, says: str) -> None:
    assert mismatch(value, checked_shape(shape)) == says


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=40)
@given(JSON)
def test_any_value_has_the_shape_any_and_an_end(value: Any) -> None:
    assert mismatch(value, "any") == ""
    assert isinstance(mismatch(value, {"a": ["string|null"], "b?": []}), str)


def test_a_table_may_be_quoted() -> None:
    assert rows_of(b'id, name\r\n7,"ann, or\nbob"\r\n') == [["id", "name"], ["7", "ann, or\nbob"]]


def test_a_plan_of_an_earlier_version_is_read() -> None:
    old = {
        "name": "hello",
        "title": "Hello",
        "request": {"method": "GET", "path": "/", "headers": {"Accept": "*/*"}, "body": ""},
        "expect": {"status": 200, "body": "Hello", "headers": {"content-type": "text/plain"}},
        "defaults": {"connections": 64},
    }
    workload = Workload.checked(old, "plan.json")
    assert workload.is_fixed and not workload.is_mix
    assert workload.first.expect == workload.expect
    assert list(workload.by_name) == ["GET /"]
