"""A gRPC call: by a .proto, a set of descriptors, or as bytes."""

import base64
from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.grpc import GrpcSection, decoded, encoded, framed
from bakeoff.model.request import EventsSection
from bakeoff.plan import Catalogue, RaceOptions
from bakeoff.plan.protos import with_messages
from bakeoff.plan.workloads import read_workload
from bakeoff.verify.exchange import Answer
from bakeoff.verify.grpc import fault
from tests.plan.test_requests import planned

PROTO = """
syntax = "proto3";
package shop;
import "item.proto";
service Orders { rpc Place (Order) returns (Order); }
message Order { Item item = 1; map<string, int64> counts = 2; }
"""
ITEM = """
syntax = "proto3";
package shop;
message Item { string name = 1; }
"""
WORKLOAD = """
name = "order"
[grpc]
method = "shop.Orders/Place"
proto = "shop.proto"
message = { item = { name = "pen" }, counts = { a = 1, b = 2 } }
response = { item = { name = "pen" }, counts = { b = 2, a = 1 } }
metadata = { authorization = "Bearer x" }
timeout_ms = 500
"""
MESSAGE = {"item": {"name": "pen"}, "counts": {"a": "1", "b": "2"}}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.proto").write_text(PROTO)
    (tmp_path / "item.proto").write_text(ITEM)
    (tmp_path / "order.toml").write_text(WORKLOAD)
    return tmp_path


def test_a_call_is_a_request_with_its_message_behind_a_prefix(shop: Path) -> None:
    workload = read_workload(shop / "order.toml")
    request = workload.first
    assert (request.method, request.path) == ("POST", "/shop.Orders/Place")
    assert request.headers == {
        "content-type": "application/grpc",
        "te": "trailers",
        "grpc-timeout": "500m",
        "authorization": "Bearer x",
    }
    grpc = workload.grpc
    assert grpc and grpc.descriptors_base64 and workload.is_fixed
    descriptors = base64.b64decode(grpc.descriptors_base64)
    body = workload.body(request)
    assert decoded(descriptors, grpc.method, "input", body[5:]) == MESSAGE
    assert body == framed(encoded(descriptors, grpc.method, "input", MESSAGE))


def test_equal_responses_may_be_encoded_in_several_ways(shop: Path) -> None:
    grpc = read_workload(shop / "order.toml").grpc
    assert grpc and grpc.response_base64
    right = base64.b64decode(grpc.response_base64)
    item, counts = right[:7], (right[7:14], right[14:])
    other = counts[1] + counts[0] + item
    for message, is_right in ((right, True), (other, True), (item, False), (b"\xff", False)):
        answer = Answer(
            raw=b"",
            status=200,
            headers=(("content-type", "application/grpc"),),
            body=framed(message),
            head_bytes=0,
            keeps_alive=True,
            asked_ns=0,
            received_ns=(),
            trailers=(("grpc-status", "0"),),
        )
        assert (fault(answer, grpc) == "") == is_right


def test_a_set_of_descriptors_stands_for_a_proto(shop: Path) -> None:
    first = read_workload(shop / "order.toml")
    assert first.grpc and first.grpc.descriptors_base64
    (shop / "shop.set").write_bytes(base64.b64decode(first.grpc.descriptors_base64))
    (shop / "order.toml").write_text(WORKLOAD.replace("shop.proto", "shop.set"))
    second = read_workload(shop / "order.toml")
    assert second.body(second.first) == first.body(first.first)


def test_it_goes_over_http_2_whatever_is_not_said(shop: Path) -> None:
    typed = {"grpc": "shop.Orders/Place", "proto": "shop.proto", "message": '{"item": {}}'}
    plan = planned(shop, "python3 a.py", "http://127.0.0.1:9/", **typed)
    assert plan.protocol == "h2c"
    assert {entry.path for entry in plan.entries} == {"/shop.Orders/Place"}
    assert RaceOptions(**typed, seed=1).arguments()[:2] == ["--grpc", "shop.Orders/Place"]


def test_a_stream_of_responses_has_a_number(tmp_path: Path) -> None:
    many = PROTO.replace("returns (Order)", "returns (stream Order)")
    (tmp_path / "item.proto").write_text(ITEM)
    (tmp_path / "shop.proto").write_text(many)
    typed = {"grpc": "shop.Orders/Place", "proto": "shop.proto", "message": "{}", "events": 20}
    plan = planned(tmp_path, "http://127.0.0.1:9/", **typed)
    assert plan.workload.events == EventsSection(count=20)


def test_the_catalogues_call_is_what_its_proto_says() -> None:
    catalogue = Catalogue.shipped()
    grpc = catalogue.workload("grpc-hello").grpc
    assert grpc and grpc.message_base64 and grpc.response_base64
    path = catalogue.root / "workloads" / "helloworld.toml"

    declared = with_messages(grpc.model_copy(update={"proto": "helloworld.proto"}), path)
    assert declared.descriptors_base64
    descriptors = base64.b64decode(declared.descriptors_base64)
    message, response = map(base64.b64decode, (grpc.message_base64, grpc.response_base64))
    assert decoded(descriptors, grpc.method, "input", message) == {"name": "World"}
    assert decoded(descriptors, grpc.method, "output", response) == {"message": "Hello, World!"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "grpc-status 0, one message"),
        ({"response_base64": ""}, "grpc-status 0, a given message"),
        ({"responses": 3}, "grpc-status 0, messages: 3"),
    ],
)
def test_what_has_to_come_back_is_told_in_a_few_words(given: dict[str, Any], said: str) -> None:
    assert (
        GrpcSection.model_validate({"method": "a/B", "message_base64": "", **given}).returns == said
    )
