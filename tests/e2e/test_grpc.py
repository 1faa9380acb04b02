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
service Greeter { rpc SayHello (Hello) returns (Hello); }
message Hello { string name = 1; }
"""
SERVER = """
import os
from concurrent.futures import ThreadPoolExecutor
import grpc

def hello(request, context):
    if os.environ.get("FAILS"):
        context.abort(grpc.StatusCode.UNAVAILABLE, "no peer")
    return request

server = grpc.server(ThreadPoolExecutor(4))
method = grpc.unary_unary_rpc_method_handler(hello)
server.add_generic_rpc_handlers(
    (grpc.method_handlers_generic_handler("helloworld.Greeter", {"SayHello": method}),)
)
server.add_insecure_port(f"127.0.0.1:{os.environ['PORT']}")
server.start()
server.wait_for_termination()
"""
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
