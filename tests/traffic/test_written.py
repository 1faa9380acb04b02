"""The file that is written is a workload, and asks what was recorded."""

import tomllib
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.model.fields import filled
from bakeoff.model.workload import Workload
from bakeoff.plan.workloads import read_workload
from bakeoff.traffic import Choices, Recording, draft, read_har, toml_of
from bakeoff.traffic.recording import Request, kept, path_of
from tests.traffic.recorded import binary, entry, har

WRITTEN = """\
# left out: 1 request to other hosts (cdn.example 1): --host takes one
# left out: secrets (Cookie in 2); answers may differ without; --with-secrets keeps them
# json is the shape of recorded answers, which were not compressed: widen it where others are right
name = "shop"
title = "4 requests to shop.example, from shop.har"
data = "shop.csv"  # a row is drawn for each request

[[request]]
weight = 3
method = "GET"
path = "/items/{{items_id}}"
headers = { Accept = "application/json" }
[request.expect]
status = 200
json = { id = "number", name = "string|null", "note?" = "string" }
headers = { content-type = "application/json" }

[[request]]
weight = 1
method = "POST"
path = "/cart"
body = '{"id": 1, "say": "a \\ b"}'
[request.headers]
Content-Type = "application/json"
User-Agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"
[request.expect]
status = 201
headers = { content-type = "text/html; charset=utf-8" }
"""


def test_a_session_reads_like_this(tmp_path: Path) -> None:
    json_kind = {"Accept": "application/json", "Accept-Encoding": "gzip"}
    agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"
    sent = {"Content-Type": "application/json", "User-Agent": agent}
    url = "https://shop.example"
    first = {"id": 1, "name": "a", "note": "x"}
    path = har(
        tmp_path,
        entry(f"{url}/items/1", headers=json_kind | {"Cookie": "a=b"}, answer=first),
        entry(f"{url}/items/2", headers=json_kind | {"Cookie": "a=c"}, answer=first),
        entry(f"{url}/items/3", headers=json_kind, answer={"id": 3, "name": None}),
        entry(f"{url}/cart", "POST", headers=sent, body='{"id": 1, "say": "a \\ b"}', status=201),
        entry("https://cdn.example/x.js"),
    )
    text = toml_of(draft(read_har(path), Choices("shop")))
    assert text == WRITTEN


def test_what_was_compressed_stays_compressed_and_its_shape_is_not_looked_at(
    tmp_path: Path,
) -> None:
    asks = {"Accept-Encoding": "gzip, deflate, br"}
    made = [
        entry(f"https://a.example/{encoding}", headers=asks, answer={"a": 1}, encoding=encoding)
        for encoding in ("gzip", "identity")
    ]
    gzipped, plain = saved(tmp_path, read_har(har(tmp_path, *made))).by_name.values()
    assert gzipped.headers == {"Accept-Encoding": "gzip"}
    assert gzipped.expect and gzipped.expect.json_ is None
    assert plain.headers == {}
    assert plain.expect and plain.expect.json_ == {"a": "number"}


def test_of_a_shape_that_is_too_long_for_a_line_the_upper_levels_are_held(tmp_path: Path) -> None:
    inner = {f"field_{number}": {"value": number} for number in range(40)}
    path = har(tmp_path, entry("https://a.example/", answer={"items": [inner], "total": 40}))
    written = tomllib.loads(toml_of(draft(read_har(path), Choices("shop"))))
    [request] = written["request"]
    assert request["expect"]["json"] == {"items": ["any"], "total": "number"}


def test_equal_paths_have_names_that_tell_them_apart() -> None:
    recording = Recording("a.yaml")
    for label, status in (("list", 200), ("list", 404), (None, 200), (None, 404)):
        recording.requests[Request("GET", "/a", status=status, label=label)] = 1
    written = tomllib.loads(toml_of(draft(recording, Choices("a"))))
    names = [request.get("name") for request in written["request"]]
    assert names == ["list", "list (2)", None, "GET /a (2)"]


def saved(tmp_path: Path, recording: Recording, **choices: bool) -> Workload:
    made = draft(recording, Choices("any", most=1000, **choices))
    for name, content in {**made.files(), "any.toml": toml_of(made).encode()}.items():
        (tmp_path / name).write_bytes(content)
    return read_workload(tmp_path / "any.toml")


TEXT = st.text(max_size=12)
PATHS = st.one_of(
    TEXT.map(lambda text: path_of("/" + text)),
    st.tuples(st.sampled_from("abc"), st.integers(0, 99)).map(lambda each: f"/{each[0]}/{each[1]}"),
    st.tuples(st.integers(0, 9), TEXT).map(lambda each: path_of(f"/{each[0]}?q={each[1]}")),
)
HEADERS = st.lists(
    st.tuples(st.sampled_from(["Accept", "Content-Type", "X-A", "x b"]) | TEXT, TEXT), max_size=3
).map(tuple)
ASKED = st.builds(
    Request,
    method=st.sampled_from(["GET", "POST", "PUT"]),
    path=PATHS,
    headers=HEADERS,
    body=st.binary(max_size=20) | TEXT.map(str.encode) | st.just(b"{{x}}"),
    status=st.none() | st.sampled_from([200, 201, 404]),
    answer_type=st.none() | TEXT,
    answer=st.none() | st.sampled_from(['{"a": [1, null]}', "[]", "[", '{"\\ud800": {"b?": 1}}']),
    label=st.none() | TEXT,
)


@given(st.lists(st.tuples(ASKED, st.integers(1, 50)), min_size=1, max_size=12))
def test_a_workload_asks_what_was_recorded_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, counts: list[tuple[Request, int]]
) -> None:
    recording = Recording("a\n\x7f.har", "a.example")
    for asked, count in counts:
        recording.requests[asked] += count
    said = {(asked.method, asked.path, asked.body) for asked in recording.requests}
    of_headers = {pair for asked in recording.requests for pair in kept(asked)}
    for apart in (False, True):
        workload = saved(tmp_path_factory.getbasetemp(), recording, apart=apart, with_secrets=True)
        several = list(workload.by_name.values())
        assert sum(each.weight for each in several) == recording.size
        columns, rows = workload.table()
        seen = set()
        for each in several:
            for row in rows or [[]]:
                values = dict(zip(columns, row, strict=True))
                body = workload.body(each)
                with suppress(UnicodeDecodeError):
                    body = filled(body.decode(), values).encode()
                seen.add((each.method, filled(each.path, values), body))
            assert set(each.headers.items()) <= of_headers
        assert seen == said


def test_rows_are_drawn_as_often_as_their_requests_were_asked(tmp_path: Path) -> None:
    recording = Recording(
        "a.log", requests=Counter({Request("GET", "/1"): 30, Request("GET", "/2"): 10})
    )
    _, rows = saved(tmp_path, recording).table()
    assert Counter(row for [row] in rows) == {"1": 30, "2": 10}


def test_bodies_that_are_no_text_are_files_beside_it(tmp_path: Path) -> None:
    recording = read_har(har(tmp_path, binary("https://a.example/", b"\xff\x00{{")))
    workload = saved(tmp_path, recording)
    assert workload.body(workload.first) == b"\xff\x00{{"


def test_a_stream_of_events_is_asked_for_as_one(tmp_path: Path) -> None:
    stream = entry(
        "https://chat.example/v1/chat/completions",
        "POST",
        headers={"Content-Type": "application/json", "Accept-Encoding": "gzip, br"},
        body='{"stream": true}',
        kind="text/event-stream; charset=utf-8",
    )
    stream["response"]["content"]["text"] = "data: {}\n\ndata: [DONE]\n\n"
    made = draft(read_har(har(tmp_path, stream)), Choices("chat"))
    (tmp_path / "chat.toml").write_text(toml_of(made))
    workload = read_workload(tmp_path / "chat.toml")
    assert workload.events is not None
    assert workload.first.expect is not None and workload.first.expect.headers == {}
    assert workload.first.method == "POST"
    assert "Accept-Encoding" not in workload.first.headers


def socket(url: str, *messages: tuple[str, int, str]) -> dict[str, object]:
    told = [{"type": kind, "opcode": code, "data": data} for kind, code, data in messages]
    headers = {"Cookie": "a=b", "Sec-WebSocket-Key": "x", "Sec-WebSocket-Protocol": "chat"}
    return entry(url, status=101, headers=headers, _webSocketMessages=told)


def test_an_echo_over_a_websocket_is_a_workload_of_messages(tmp_path: Path) -> None:
    hello = (("send", 1, "Hello"), ("receive", 1, "Hello"))
    path = har(tmp_path, socket("wss://a.example/chat?x=1", ("receive", 1, "hi"), *hello))
    made = draft(read_har(path), Choices("chat"))
    (tmp_path / "chat.toml").write_text(toml_of(made))
    sent = read_workload(tmp_path / "chat.toml").websocket
    assert sent is not None
    assert (sent.path, sent.body, sent.binary) == ("/chat?x=1", b"Hello", False)
    assert sent.headers == {"Sec-WebSocket-Protocol": "chat"}


def test_a_binary_echo_is_sent_as_binary_data(tmp_path: Path) -> None:
    path = har(tmp_path, socket("ws://a.example/", ("send", 2, "/wA="), ("receive", 2, "/wA=")))
    (tmp_path / "chat.toml").write_text(toml_of(draft(read_har(path), Choices("chat"))))
    sent = read_workload(tmp_path / "chat.toml").websocket
    assert sent is not None and (sent.body, sent.binary) == (b"\xff\0", True)


def test_messages_beside_requests_are_left_out_with_the_command_that_races_them(
    tmp_path: Path,
) -> None:
    echo = socket("wss://a.example/chat", ("send", 1, "a"), ("receive", 1, "a"))
    other = socket("wss://a.example/live", ("send", 1, "a"), ("receive", 1, "b"))
    made = draft(read_har(har(tmp_path, entry("https://a.example/"), echo, other)), Choices("a"))
    assert made.message is None and len(made.requests) == 1
    assert ["--message TEXT" in remark for remark in made.remarks] == [True, True, False]
    assert "secrets (Cookie" in made.remarks[-1]
