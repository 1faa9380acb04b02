"""What is one request, and what its rows hold."""

from collections import Counter

import pytest

from bakeoff.traffic import Choices, Recording, draft
from bakeoff.traffic.draft import MOST_ROWS, Draft
from bakeoff.traffic.recording import Request
from bakeoff.traffic.shapes import MANY_WORDS, is_id, parts_of, path_with, shapes


def drafted(*paths: str, most: int = 20, apart: bool = False, **more: object) -> Draft:
    """The workload of GETs, each path as often as it is named."""
    recording = Recording("a.log", requests=Counter(Request("GET", path) for path in paths))
    return draft(recording, Choices("a", most=most, apart=apart))


@pytest.mark.parametrize("path", ["/", "/a", "/a/b?c", "/?", "/a?b=1&c&=&d=", "//a//?17"])
def test_a_path_comes_together_as_it_was(path: str) -> None:
    assert path_with(parts_of(path)) == path


@pytest.mark.parametrize(
    ("segment", "known"),
    [
        *(("7", True), ("123e4567-e89b-12d3-a456-426614174000", True), ("5f3e9a1c", True)),
        *(("v1", False), ("users", False), ("", False), ("deadbeef", False), ("a1b2", False)),
    ],
)
def test_ids_are_numbers_uuids_and_long_hexadecimal_digits(segment: str, known: bool) -> None:
    assert is_id(segment) == known


def test_paths_of_one_shape_are_one_request_with_a_row_for_each() -> None:
    made = drafted("/users/1", "/users/2", "/users/1", "/users/1", "/about")
    assert [(request.path, request.weight) for request in made.requests] == [
        ("/users/{{users_id}}", 4),
        ("/about", 1),
    ]
    # User 1 was asked three times as often.
    assert made.columns == {"users_id": ["1", "1", "1", "2"]}
    assert made.files() == {"a.csv": b"users_id\n1\n1\n1\n2\n"}


def test_what_goes_together_stays_in_one_row() -> None:
    made = drafted("/u/1/orders/10?page=1", "/u/2/orders/20?page=2", "/u/3/orders/30?page=2")
    assert [request.path for request in made.requests] == [
        "/u/{{u_id}}/orders/{{orders_id}}?page={{page}}"
    ]
    assert list(zip(*made.columns.values(), strict=True)) == [
        ("1", "10", "1"),
        ("2", "20", "2"),
        ("3", "30", "2"),
    ]


def test_what_never_differs_stays_as_it_is() -> None:
    made = drafted("/users/7?lang=en&page=1", "/users/7?lang=en&page=2")
    assert [request.path for request in made.requests] == ["/users/7?lang=en&page={{page}}"]


def test_columns_of_several_shapes_have_names_of_their_own_and_one_length() -> None:
    made = drafted(*(f"/a/{n}" for n in range(4)), "/b/a/8", "/b/a/9")
    assert [request.path for request in made.requests] == ["/a/{{a_id}}", "/b/a/{{a_id_2}}"]
    assert made.columns == {"a_id": ["0", "1", "2", "3"], "a_id_2": ["8", "8", "9", "9"]}


def test_a_segment_of_many_words_is_a_value_if_they_end_alike() -> None:
    pages = [f"/wiki/{letter}-page" for letter in "abcdefghijklmnopqrst"]
    assert len(pages) == MANY_WORDS
    made = drafted(*pages, *(f"/wiki/{letter}.css" for letter in "abc"))
    assert [request.path for request in made.requests] == [
        "/wiki/{{wiki_name}}",
        *(f"/wiki/{letter}.css" for letter in "abc"),
    ]
    assert len(drafted(*pages[1:]).requests) == MANY_WORDS - 1


def test_two_segments_of_many_words_are_values_both() -> None:
    words = [f"{letter}{letter}" for letter in "abcdefghijklmnopqrst"]
    asked = Counter(Request("GET", f"/{one}/{two}") for one in words for two in words)
    assert [shape.size for shape in shapes(asked, apart=False)] == [400]


def test_kept_apart_each_path_is_a_request() -> None:
    made = drafted("/users/1", "/users/2", "/users/1", apart=True)
    assert [(request.path, request.weight) for request in made.requests] == [
        ("/users/1", 2),
        ("/users/2", 1),
    ]
    assert made.files() == {}


def test_the_rarest_are_left_out_and_said() -> None:
    made = drafted("/a", "/a", "/a", "/b", most=1)
    assert [request.path for request in made.requests] == ["/a"]
    assert made.title == "3 requests, from a.log"
    (remark,) = made.remarks
    assert "25.0%" in remark and "--max NUMBER" in remark


@pytest.mark.parametrize(
    "other",
    [
        Request("HEAD", "/users/2", status=200),
        Request("GET", "/users/2", status=404),
        Request("GET", "/users/2", (("accept", "text/html"),), status=200),
        Request("GET", "/users/2", status=200, answer_type="text/html"),
        Request("GET", "/users/2?page=1", status=200),
    ],
)
def test_another_method_status_type_or_query_is_another_request(other: Request) -> None:
    asked = Counter([Request("GET", "/users/1", status=200), other])
    assert len(shapes(asked, apart=False)) == 2


def test_bodies_are_a_column_and_bytes_a_file() -> None:
    kind = (("Content-Type", "application/json"),)
    recording = Recording("a.har")
    recording.requests[Request("POST", "/cart", kind, b'{"id": 1}')] = 2
    recording.requests[Request("POST", "/cart", kind, b'{"id": 2}')] = 1
    recording.requests[Request("PUT", "/image", (), b"\xff\x00")] = 1
    recording.requests[Request("PUT", "/text", kind, b'"' + b"x" * 2000 + b'"')] = 1
    recording.requests[Request("PUT", "/braces", kind, b'"{{name}}"')] = 1
    made = draft(recording, Choices("a"))
    assert [(request.body, request.body_file) for request in made.requests] == [
        ("{{cart_body}}", None),
        ("", "a-1.bin"),
        ("", "a-2.json"),
        ("{{braces_body}}", None),
    ]
    assert made.bodies["a-1.bin"] == b"\xff\x00"
    assert made.columns["cart_body"] == ['{"id": 1}', '{"id": 1}', '{"id": 2}']
    assert set(made.columns["braces_body"]) == {'"{{name}}"'}


def test_headers_that_differ_are_left_out_and_said() -> None:
    recording = Recording("a.har")
    for number in (1, 2):
        given = (("X-Request", str(number)), ("X-Same", "1"), ("Host", "a"), ("If-None-Match", "x"))
        recording.requests[Request("GET", "/users/1", given)] = 1
    [request] = draft(recording, Choices("a")).requests
    assert request.headers == (("X-Same", "1"),)
    (note,) = request.notes
    assert "X-Request" in note and "X-Same" not in note


def test_rows_are_taken_evenly_from_more_requests_than_a_file_should_have() -> None:
    recording = Recording("a.log")
    for number in range(4):
        recording.requests[Request("GET", f"/{number}")] = MOST_ROWS
    made = draft(recording, Choices("a"))
    assert Counter(made.columns["id"]) == {str(number): MOST_ROWS // 4 for number in range(4)}
    (remark,) = made.remarks
    assert " 10,000 " in remark and " 40,000 " in remark
