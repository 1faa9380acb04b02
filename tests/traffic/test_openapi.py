"""OpenAPI descriptions, in JSON and YAML."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.model.errors import BadFile
from bakeoff.traffic import read_openapi

SHOP = """
openapi: 3.1.0
servers: [{url: 'https://shop.example/{version}/', variables: {version: {default: v1}}}]
security: [{key: []}]
paths:
  /items:
    parameters: [{$ref: '#/components/parameters/Page'}]
    get:
      operationId: listItems
      parameters: [{name: sort, in: query, schema: {type: string}}]
      responses:
        '404': {description: none}
        '200': {content: {application/json: {}}}
    post: {responses: {'201': {}}}
  /items/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer, example: 7}}]
    get: {responses: {2XX: {$ref: '#/components/responses/Item'}}}
    delete: {}
  /users/{name}:
    get: {parameters: [{name: name, in: path, required: true}]}
  /lost/{id}:
    get: {}
components:
  parameters:
    Page: {name: page, in: query, required: true, examples: {one: {value: 2}}}
  responses:
    Item: {content: {text/html: {}}}
"""
SWAGGER = {
    "swagger": "2.0",
    "basePath": "/api",
    "paths": {
        "/ping": {
            "get": {
                "produces": ["text/plain"],
                "parameters": [
                    {"name": "day", "in": "query", "required": True, "default": "2026-11-23"},
                    {"name": "tags", "in": "query", "required": True, "example": ["a b", "c"]},
                    {"name": "X-Trace", "in": "header", "required": True, "enum": ["on", "off"]},
                ],
                "responses": {"default": {}, "204": {}},
            }
        }
    },
}


def test_gets_are_taken_where_all_that_they_require_is_known(tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(SHOP)
    recording = read_openapi(path)
    items, item = recording.requests
    assert (items.path, items.label) == ("/v1/items?page=2", "listItems")
    assert (items.status, items.answer_type) == (200, "application/json")
    assert items.headers == (("Accept", "application/json"),)
    assert (item.path, item.status, item.answer_type) == ("/v1/items/7", 200, "text/html")
    assert list(recording.left_out.values()) == [1, 1, 1, 1]
    assert {"POST", "DELETE"} < set(" ".join(recording.left_out).split())
    (note,) = recording.notes
    assert "[request.headers]" in note


def test_swagger_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    path.write_text(json.dumps(SWAGGER))
    [asked] = read_openapi(path).requests
    assert asked.path == "/api/ping?day=2026-11-23&tags=a+b&tags=c"
    assert asked.headers == (("Accept", "text/plain"), ("X-Trace", "on"))
    assert (asked.status, asked.answer_type) == (204, "text/plain")


@pytest.mark.parametrize("text", ["openapi: 3.0.0\npaths: 1", "!!python/object/apply:os.getcwd []"])
def test_a_file_that_is_not_a_description_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(BadFile):
        read_openapi(path)


def test_an_example_that_refers_to_itself_a_billion_times_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    lines = ["openapi: 3.0.0", "x0: &x0 {a: b}"]
    lines += [f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]" for n in range(1, 12)]
    required = "{name: a, in: query, required: true, example: *x11}"
    lines += ["paths: {/a: {get: {parameters: [" + required + "]}}}"]
    path.write_text("\n".join(lines))
    recording = read_openapi(path)
    assert (recording.size, recording.left_out.total()) == (0, 1)


def test_references_that_go_round_or_nowhere_leave_out_what_needs_them(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(
        """
openapi: 3.0.0
paths:
  /round: {$ref: '#/paths/~1round'}
  /nowhere: {$ref: 'other.yaml#/x'}
  /fine: {get: {parameters: [{$ref: '#/no/such'}], responses: {'200': {$ref: '#/no'}}}}
"""
    )
    assert [asked.path for asked in read_openapi(path).requests] == ["/fine"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("get"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["get", "parameters", "responses", "schema", "example", "in", "$ref"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(VALUES)
def test_nothing_in_a_description_is_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, value: object
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    inner = {"openapi": "3", "paths": {"/a": value, "/b": {"get": value}}, "servers": value}
    for whole in (value, inner, {"openapi": 3, "paths": value}):
        path.write_text(yaml.safe_dump(whole))
        try:
            read_openapi(path)
        except BadFile as error:
            assert str(path) in str(error)
