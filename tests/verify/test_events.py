"""A stream of events is right or its fault has a name, in whatever pieces it comes."""

from collections.abc import Callable
from itertools import count

import pytest

from bakeoff.model.errors import BadFile
from bakeoff.model.receipt import Verification
from bakeoff.model.request import EventsSection
from bakeoff.model.workload import Workload
from bakeoff.verify import asking, audit, exchange, verify
from bakeoff.verify.events import fault, held_back, stream_of
from bakeoff.verify.exchange import Answer
from tests.brick.conftest import Start, yardstick
from tests.verify.serving import handle_and_entry

__all__ = ["yardstick"]
TYPE = ("content-type", "text/event-stream")
BODY = b"id: 1\ndata: one\n\nid: 2\ndata: two\ndata: lines\n\n"


def answer(body: bytes, *cuts: int, headers: tuple[tuple[str, str], ...] = (TYPE,)) -> Answer:
    """One whose body came up to each of `cuts`, then whole, a millisecond apart."""
    came = tuple((at * 1_000_000, end) for at, end in enumerate([*cuts, len(body)]))
    return Answer(
        raw=body,
        status=200,
        headers=headers,
        body=body,
        head_bytes=0,
        keeps_alive=True,
        asked_ns=0,
        received_ns=tuple(at for at, _ in came),
        body_came=came,
    )


def wrong(body: bytes, **expect: object) -> str:
    return fault(answer(body), EventsSection.model_validate(expect))


def test_an_event_came_when_the_line_that_ends_it_did() -> None:
    stream = stream_of(answer(BODY, 3, 17, 20))
    assert [(event.id, event.data, event.at_ns) for event in stream.events] == [
        ("1", "one", 1_000_000),
        ("2", "two\nlines", 3_000_000),
    ]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf"])
def test_lines_end_as_the_standard_lets_them_and_what_it_ignores_counts_for_nothing(
    end: bytes, before: bytes
) -> None:
    lines = (b": hello", b"", b"event: tick", b"", b"retry: 5", b"other", b"data:x", b"data", b"")
    stream = stream_of(answer(before + b"".join(line + end for line in lines)))
    assert ([event.data for event in stream.events], stream.comments) == (["x\n"], 1)
    assert not stream.rest


@pytest.mark.parametrize("expect", [{}, {"count": 2}, {"ids": "consecutive"}])
def test_a_right_stream_has_no_fault(expect: dict[str, object]) -> None:
    assert wrong(BODY, **expect) == ""


def ids(*numbers: int | str) -> bytes:
    return b"".join(f"id: {number}\ndata: x\n\n".encode() for number in numbers)


def test_a_stream_is_held_back_where_most_gaps_are_closed() -> None:
    body = ids(*range(1, 7))
    each = len(body) // 6
    steady = answer(body, *(each * n for n in range(1, 6)))
    halves = answer(body, each * 3)
    expect = EventsSection(gap_ms=1.0)
    assert held_back(steady, expect) == ""
    assert held_back(halves, expect).startswith("it holds events back: 4 of 5 came together")
    assert held_back(halves, EventsSection()) == "", "nobody said how its source sends them"


def workload(path: str, **events: object) -> Workload:
    return Workload.model_validate(
        {"name": "ticks", "request": {"path": path}, "expect": {"events": events or 5}}
    )


def test_a_number_is_how_many_and_the_request_says_that_it_takes_events() -> None:
    ticks = workload("/events")
    assert ticks.first.expect and ticks.first.expect.events == EventsSection(count=5)
    assert ticks.first.headers == {"Accept": "text/event-stream"}
    own = {"name": "x", "request": {"headers": {"accept": "*/*"}}, "expect": {"events": 1}}
    assert Workload.model_validate(own).first.headers == {"accept": "*/*"}
    assert ticks.is_fixed, "the engine is told one request and one answer"


@pytest.mark.parametrize(
    ("events", "key"),
    [
        (0, "expect.events.count"),
        ("5", "expect.events"),
        (True, "expect.events"),
        ({"cuont": 5}, "expect.events.cuont"),
        ({"ids": "rising"}, "expect.events.ids"),
        ({"gap_ms": 0}, "expect.events.gap_ms"),
    ],
)
def test_a_wrong_expectation_is_refused_at_its_key(events: object, key: str) -> None:
    with pytest.raises(BadFile) as refused:
        Workload.checked({"name": "x", "expect": {"events": events}}, "x.toml")
    assert refused.value.key == key


Verify = Callable[..., Verification]


@pytest.fixture
def scripted(yardstick: Start) -> Verify:
    """Holds brick-yardstick to five events, 20 ms apart, with `more` in its script."""

    def verified(more: str = "", path: str = "/events", **events: object) -> Verification:
        handle, entry = handle_and_entry("x", yardstick().port)
        query = f"{path}?events=5&gap=20ms{more}"
        own = entry.model_copy(update={"path": query})
        return verify(handle, own, workload(query, **{"count": 5, **events}))

    return verified


@pytest.mark.e2e
def test_a_scripted_stream_is_right_and_comes_as_its_source_sends_it(scripted: Verify) -> None:
    found = scripted(ids="consecutive", gap_ms=20)
    assert (found.problems, found.warnings, found.keeps_alive) == ((), (), True)


@pytest.mark.e2e
def test_a_chat_is_a_stream_that_says_when_it_is_done(scripted: Verify) -> None:
    assert scripted(path="/v1/chat/completions", count=7, last="[DONE]").problems == ()


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("more", "named"),
    [
        ("&lie=hang&at=1", "sent no event: its answer stopped in the middle: no bytes within 0.3"),
        ("&lie=hang&at=3", "stopped after 2 of 5 events: its answer stopped in the middle"),
        ("&lie=reset&at=3", "stopped after 2 of 5 events: the connection broke"),
        ("&gap=0ms&lie=reset&at=3", "stopped after 2 of 5 events: the connection broke"),
        ("&lie=stop&at=3", "sent 2 events, not 5"),
        ("&lie=comments", "sent no event, but 5 comments"),
        ("&lie=drop&at=3", "event 3 was lost: 4 came after 2"),
        ("&lie=twice&at=3", "event 3 came twice"),
        ("&lie=swap&at=3", "event 3 came after 4: out of order"),
        ("&lie=half&at=3", "event 3 is not UTF-8"),
        ("&type=text%2Fplain", "answered with content-type: text/plain, not text/event-stream"),
    ],
)
def test_a_stream_that_lies_is_named(
    scripted: Verify, monkeypatch: pytest.MonkeyPatch, more: str, named: str
) -> None:
    monkeypatch.setattr(asking, "connect", lambda address, _: exchange.connect(address, 0.3))
    (found,) = scripted(more, ids="consecutive").problems
    assert named in found


@pytest.mark.e2e
def test_a_stream_in_clumps_is_right_and_named(scripted: Verify) -> None:
    found = scripted("&clump=5", gap_ms=20)
    assert found.problems == ()
    assert any("4 of 4 came together" in warning for warning in found.warnings)


@pytest.mark.e2e
def test_comments_without_end_end_with_the_time_for_an_answer(
    scripted: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "ANSWER_TIMEOUT_S", 0.5)
    path = "&events=1000000&lie=comments"
    (found,) = scripted(path).problems
    assert "had not ended after 0.5 s" in found and "sent no event, but" in found


@pytest.mark.e2e
def test_an_audit_looks_at_two_streams_and_not_at_twenty(yardstick: Start) -> None:
    handle, entry = handle_and_entry("x", yardstick().port)
    path = "/events?events=3&gap=10ms"
    own = entry.model_copy(update={"path": path})
    ticking = count()
    found = audit(
        [(handle, own)], workload(path), now_ns=lambda: next(ticking), sleep=lambda _: None
    )
    assert (found["x"].asked, found["x"].kept) == (2, 2)
    assert found["x"].apart_ms >= 10
