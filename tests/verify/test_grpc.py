"""An answer to a gRPC call is right, or its fault has a name."""

import base64
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.model.grpc import GrpcSection, framed
from bakeoff.verify.exchange import Answer
from bakeoff.verify.grpc import STATUSES, fault

TYPE = ("content-type", "application/grpc+proto")
OK = ("grpc-status", "0")
RIGHT = b"hi"
CALL = GrpcSection(
    method="a.B/C", message_base64="", response_base64=base64.b64encode(RIGHT).decode()
)
ANSWER = Answer(
    raw=b"",
    status=200,
    headers=(TYPE,),
    body=framed(RIGHT),
    head_bytes=0,
    keeps_alive=True,
    asked_ns=0,
    received_ns=(),
    trailers=(OK,),
)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ""),
        ({"trailers": (OK, ("grpc-message", ""))}, ""),
        ({"headers": (("content-type", "text/html"),)}, "content-type: text/html"),
        ({"headers": ()}, "content-type: (none)"),
        ({"trailers": ()}, "without a grpc-status"),
        ({"trailers": (), "headers": (TYPE, OK)}, "before the message"),
        (
            {"trailers": (("grpc-status", "14"), ("grpc-message", "no%20peer"))},
            "grpc-status 14 UNAVAILABLE: no peer",
        ),
        (
            {"trailers": (), "headers": (TYPE, ("grpc-status", "12")), "body": b""},
            "grpc-status 12 UNIMPLEMENTED",
        ),
        ({"trailers": (("grpc-status", "99"),)}, "grpc-status 99"),
        ({"body": b""}, "without a message"),
        ({"body": b"\0\0"}, "2 bytes"),
        ({"body": framed(RIGHT)[:-1]}, "2 bytes by its prefix, and 1 came"),
        ({"body": framed(RIGHT) + b"!"}, "2 bytes by its prefix, and 3 came"),
        ({"body": framed(RIGHT) * 2}, "two messages"),
        ({"body": b"\1" + framed(RIGHT)[1:]}, "compressed"),
        ({"body": b"\x1f" + framed(RIGHT)[1:]}, "flag is 31"),
        ({"body": framed(b"ho")}, "68 6f, not 68 69"),
    ],
)
def test_what_is_wrong_is_named(changed: dict[str, object], said: str) -> None:
    found = fault(replace(ANSWER, **changed), CALL)  # type: ignore[arg-type]
    assert said in found if said else found == ""


@given(st.binary(max_size=20))
def test_no_other_body_is_right(body: bytes) -> None:
    assert (fault(replace(ANSWER, body=body), CALL) == "") == (body == framed(RIGHT))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (framed(b"hi") + framed(b""), ""),
        (framed(b"hi"), "1 messages, not 2"),
        (framed(b"hi") * 3, "3 messages, not 2"),
        (b"", "0 messages, not 2"),
        (framed(b"hi") * 2 + b"\0", "1 bytes, and a message begins with 5, after 2"),
        (
            framed(b"hi") + framed(b"hi")[:-1],
            "a message of 2 bytes by its prefix, and 1 came, after 1",
        ),
        (
            framed(b"hi") + b"\1" + framed(b"hi")[1:],
            "a compressed message, which was not offered, after 1",
        ),
    ],
)
def test_messages_of_a_stream_are_counted(body: bytes, said: str) -> None:
    stream = GrpcSection(method="a.B/C", message_base64="", responses=2)
    assert fault(replace(ANSWER, body=body), stream) == (said and f"answered with {said}")
    failed = replace(ANSWER, body=body, trailers=(("grpc-status", "13"),))
    assert fault(failed, stream) == "answered with grpc-status 13 INTERNAL"


def test_the_engine_calls_each_status_by_the_same_name() -> None:
    source = (Path(__file__).parents[2] / "engine/protocol/src/grpc.rs").read_text()
    (names,) = re.findall(r"const NAMES: \[&str; 17\] = \[(.*?)\];", source, re.DOTALL)
    assert tuple(re.findall(r'"(\w+)"', names)) == STATUSES
