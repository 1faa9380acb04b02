"""What stays in answers that vary is found, and what does not is not held."""

import json
import time
from typing import Any

import pytest

from bakeoff.model.finding import Finding
from bakeoff.model.receipt import Expectation
from bakeoff.model.workload import Workload
from bakeoff.verify.differences import differences
from bakeoff.verify.exchange import Answer
from bakeoff.verify.expected import problems
from bakeoff.verify.inference import inferred, minutes, order_matters
from bakeoff.verify.sampling import ANSWERS_MAX, AnswerSample

JSON = "application/json"


def answer(body: str | bytes, kind: str = "text/html", **headers: str) -> Answer:
    raw = body if isinstance(body, bytes) else body.encode()
    fields = {"content-type": kind, **{key.replace("_", "-"): headers[key] for key in headers}}
    return Answer(
        raw=raw,
        status=200,
        headers=tuple((name, value) for name, value in fields.items() if value),
        body=raw,
        head_bytes=0,
        keeps_alive=True,
        asked_ns=0,
        received_ns=(),
    )


def answers(*values: Any) -> list[Answer]:
    return [answer(json.dumps(value), JSON) for value in values]


def breaks(held: Expectation, answer: Answer) -> str:
    """What is wrong with an answer, by what is held."""
    return "".join(problems(answer, Workload(name="get"), held.expect))


def sample(given: list[Answer]) -> AnswerSample:
    return AnswerSample(tuple(given), inferred(given))


def test_a_body_that_stays_is_held_as_a_whole() -> None:
    held = inferred(answers({"id": 1}, {"id": 1}))
    assert (held.varied, held.expect.json_, held.expect.length_between) == ((), None, None)
    assert held.expect.headers == {"content-type": JSON}


@pytest.mark.parametrize(
    ("values", "shape", "varied"),
    [
        (
            [{"id": 1, "time": "a"}, {"id": 2, "time": "b"}],
            {"id": "number", "time": "string"},
            ("id", "time"),
        ),
        # In some: optional. Null and something else: both. Null alone: unknown.
        (
            [{"a": 1, "b": None, "c": None}, {"b": "x", "c": None}],
            {"b": "string|null", "c": "any", "a?": "number"},
            ("a", "b"),
        ),
        # Elements are of one shape, whatever their number; an array that was empty has any.
        (
            [{"of": [{"id": 1, "x": True}]}, {"of": [{"id": 2}, {"id": 3}], "none": []}],
            {"of": [{"id": "number", "x?": "boolean"}], "none?": []},
            ("of", "none"),
        ),
        # Now an object and now something else.
        ([{"user": {"id": 1}}, {"user": None}], {"user": "any"}, ("user.id",)),
        ([{"user": {"id": 1}}, {"user": {"id": 2}}], {"user": {"id": "number"}}, ("user.id",)),
        ([[1], ["x"]], ["string|number"], ("the body",)),
        # A key that would be read as optional.
        ([{"why?": 1, "n": 1}, {"why?": 1, "n": 2}], {"n": "number"}, ("n",)),
    ],
)
def test_json_is_held_to_its_shape(values: list[Any], shape: Any, varied: tuple[str, ...]) -> None:
    held = inferred(answers(*values))
    assert (held.expect.json_, held.varied) == (shape, varied)
    assert not any(breaks(held, given) for given in answers(*values))


def test_json_that_is_only_spelled_otherwise_varies_in_nothing_else() -> None:
    held = inferred([answer('{"a":1}', JSON), answer('{ "a": 1 }', JSON)])
    assert (held.expect.json_, held.varied) == ({"a": "number"}, ("the spelling",))


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"id": 7}, "/time is missing"),
        ({"id": "7", "time": "x"}, "/id is string, not number"),
        ({"id": 7, "time": "x" * 500}, "bytes, not 1 to"),
        ([], "it is array, not an object"),
    ],
)
def test_an_answer_of_another_shape_is_wrong(wrong: Any, fault: str) -> None:
    held = inferred(answers({"id": 1, "time": "a"}, {"id": 2, "time": "b"}))
    assert fault in breaks(held, *answers(wrong))
    assert "not JSON" in breaks(held, answer("<h1>Sorry, not today</h1>", JSON))
    assert "content-type: text/html" in breaks(held, answer(json.dumps({"id": 3, "time": "c"})))


def test_a_text_that_varies_all_over_is_held_to_about_its_length() -> None:
    held = inferred([answer("17", "text/plain"), answer("1234", "text/plain")])
    assert held.expect.length_between == (1, 68)
    assert "of 0 bytes, not 1 to 68" in breaks(held, answer("", "text/plain"))


def test_a_clock_of_minutes_is_not_held_though_it_has_not_moved_yet() -> None:
    now = 1_795_412_460.0
    clock = minutes((now,))
    shown = time.strftime("%H:%M", time.gmtime(now))
    held = inferred(answers(*[{"at": shown, "id": 1}] * 3), clock=clock)
    assert (held.expect.json_, held.varied) == ({"at": "string", "id": "number"}, ("the time",))
    assert inferred(answers({"at": shown}, {"at": shown}), clock=minutes((now + 120,))).varied == ()
    page = [answer(f"<p>Today, {shown}</p>")] * 2
    assert inferred(page, clock=clock).varied == ("the body",)
    assert inferred(page).varied == ()


def test_what_is_compressed_or_not_text_is_not_looked_into() -> None:
    packed = [answer('{"a":1}', JSON, content_encoding="gzip"), answer("{}", JSON)]
    assert inferred(packed).expect.json_ is None
    held = inferred([answer(b"\xff" * 1000, "image/png"), answer(b"\xfe" * 1200, "image/png")])
    assert held.expect.length_between == (500, 2400)


def test_of_requests_with_other_fields_no_length_is_held() -> None:
    assert inferred(answers([1], [1, 2]), fixed=False).expect.length_between is None


def test_numbers_that_are_not_json_make_a_text() -> None:
    assert inferred([answer('{"a": NaN}', JSON), answer('{"a": 1}', JSON)]).expect.json_ is None
    deep = "[" * 100_000 + "]" * 100_000
    assert inferred([answer(deep, JSON), answer(f" {deep}", JSON)]).expect.json_ is None


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (
            answers(*({"user": {"visits": n}, "t": n * n} for n in (7, 8, 9, 10))),
            Finding.of("answers_count", place="`user.visits`", seen=[7, 8, 9, 10]),
        ),
        (
            [answer(f"{each} hits in 3 days") for each in (8, 9, 10, 11)],
            Finding.of("answers_count", place="a number", seen=[8, 9, 10, 11]),
        ),
        (
            answers(*([{"x": "y"}] * n for n in (1, 2, 3, 4))),
            Finding.of("answers_grow", seen=[12, 24, 36, 48]),
        ),
        # A clock: asked at unequal distances, it goes on unevenly.
        (answers(*({"ms": 1000 + n} for n in (0, 1, 18, 60))), None),
        (answers(*({"n": 3, "yes": True} for _ in range(4))), None),
        (answers({"n": 1}, {"n": 2}, {"n": 3}), None),
    ],
)
def test_answers_that_depend_on_order_are_seen(given: list[Answer], found: Finding | None) -> None:
    assert list(order_matters(given)) == ([found] if found else [])


def test_answers_that_grow_have_no_length() -> None:
    assert inferred(answers(*([0] * n for n in range(1, 6)))).expect.length_between is None


THEIRS = [{"id": n, "total": 3, "version": "1"} for n in (1, 2)]


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ([{"id": n, "total": 3, "version": "1"} for n in (8, 9)], []),
        (
            [{"id": n, "total": "3", "version": "1"} for n in (8, 9)],
            ["total is string, not number"],
        ),
        ([{"id": n, "version": "1"} for n in (8, 9)], ["total is missing"]),
        (
            [{"id": n, "total": 3, "version": "2", "more": 1} for n in (8, 9)],
            ["more is its own", 'version is "2", not "1"'],
        ),
        ([{"id": n, "total": n, "version": "1"} for n in (8, 9)], []),
        ([[1], [2]], ["it is array, not an object"]),
    ],
)
def test_servers_are_compared_as_far_as_answers_stay(own: list[Any], said: list[str]) -> None:
    found = differences(sample(answers(*own)), sample(answers(*THEIRS)))
    assert list(found) == said


def test_two_pages_differ_by_the_lines_that_stay() -> None:
    def pages(button: str) -> AnswerSample:
        return sample([answer(f"<p>{token}\n<b>{button}</b>\n") for token in ("aa", button)])

    assert differences(pages("Buy"), pages("Sell")) == ('"-<b>Sell</b>"', '"+<b>Buy</b>"')
    assert differences(pages("Buy"), pages("Buy")) == ()


def test_two_of_unlike_kinds_differ_by_type_and_size() -> None:
    own, theirs = sample([answer("<p>Hi"), answer("<p>Ho")]), sample(answers({"a": 1}, {"a": 2}))
    assert differences(own, theirs) == (
        f"content-type: text/html, not {JSON}",
        "not JSON: 5 bytes, not 8",
    )


def test_bytes_that_are_not_text_are_compared_where_they_stay() -> None:
    def binary(*bodies: bytes) -> AnswerSample:
        return sample([answer(body, "image/png") for body in bodies])

    varies, stays = binary(b"\xff\x00", b"\xff\x01"), binary(b"\xff\x02", b"\xff\x02")
    assert differences(varies, binary(b"\xff\x03\x00", b"\xff\x04\x00")) == ()
    assert differences(stays, varies) == ("other bytes: 2 bytes, as the other's",)
    assert differences(stays, binary(b"\xff", b"\xff")) == ("other bytes: 2 bytes, not 1",)


def test_a_key_that_a_tenth_of_the_answers_lack_is_mostly_seen() -> None:
    assert 1 - 0.9**ANSWERS_MAX > 0.9
