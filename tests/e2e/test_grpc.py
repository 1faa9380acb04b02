"""gRPC in the same judge: a race of calls, and servers that don't answer them rightly."""

import sys
from shlex import quote

import pytest

from bakeoff.model.verdict import Verdict
from tests.e2e.conftest import QUICK, Place

pytestmark = pytest.mark.e2e
PROTO = """
syntax = "proto3";
package helloworld;
service Greeter {
  rpc SayHello (Hello) returns (Hello);
  rpc SayMany (Hello) returns (stream Hello);
}
message Hello { string name = 1; }
"""
SERVER = """
import os
import time
from concurrent.futures import ThreadPoolExecutor
import grpc

def many(request, context):
    for number in range(int(os.environ.get("MANY", 3))):
        time.sleep(GAP_S)
        yield request

def hello(request, context):
    if os.environ.get("FAILS"):
        context.abort(grpc.StatusCode.UNAVAILABLE, "no peer")
    return request

GAP_S = 0.02
server = grpc.server(ThreadPoolExecutor(16))
methods = {
    "SayHello": grpc.unary_unary_rpc_method_handler(hello),
    "SayMany": grpc.unary_stream_rpc_method_handler(many),
}
server.add_generic_rpc_handlers(
    (grpc.method_handlers_generic_handler("helloworld.Greeter", methods),)
)
server.add_insecure_port(f"127.0.0.1:{os.environ['PORT']}")
server.start()
server.wait_for_termination()
"""
GAP_US = 20_000
CALL = (
    *("--grpc", "helloworld.Greeter/SayHello", "--proto", "hello.proto"),
    *("--message", '{"name": "World"}', "--expect-message", '{"name": "World"}'),
)


def test_calls_are_raced_and_one_that_fails_is_named_with_its_status(place: Place) -> None:
    (place.path / "server.py").write_text(SERVER)
    (place.path / "hello.proto").write_text(PROTO)
    command = f"{quote(sys.executable)} server.py"
    servers = (f"one={command}", f"two={command}", f"out=FAILS=1 {command}")
    ended = place.bakeoff("race", *servers, *CALL, "-d", "2", *QUICK, "--json", "verdict.json")
    assert ended.status == 4, ended.err
    verdict = Verdict.read_json(place.path / "verdict.json")
    for name in ("one", "two"):
        entry = verdict.entry(name)
        assert entry and entry.valid and not entry.errors.total
    (out,) = verdict.skipped
    assert out.name == "out"
    assert "grpc-status 14 UNAVAILABLE: no peer" in out.reason


def test_a_stream_of_responses_is_measured_message_by_message(place: Place) -> None:
    (place.path / "server.py").write_text(SERVER)
    (place.path / "hello.proto").write_text(PROTO)
    command = f"{quote(sys.executable)} server.py"
    call = ("--grpc", "helloworld.Greeter/SayMany", "--proto", "hello.proto", "--events", "3")
    asked = (*call, "--message", '{"name": "World"}', "-c", "4")
    servers = (f"one={command}", f"two={command}", f"out=MANY=2 {command}")
    ended = place.bakeoff("race", *servers, *asked, "-d", "2", *QUICK, "--json", "verdict.json")
    assert ended.status == 4, ended.err
    verdict = Verdict.read_json(place.path / "verdict.json")
    one = verdict.entry("one")
    assert one and one.valid and one.streams and one.streams.gap_us and one.streams.gap_us.p50
    assert one.streams.gap_us.p50 >= GAP_US / 2 and not one.streams.faults
    assert one.streams.first_us and one.streams.first_us.p50
    assert one.streams.first_us.p50 >= GAP_US / 2
    (out,) = verdict.skipped
    assert out.name == "out"
    assert "2 messages, not 3" in out.reason
