"""Messages over WebSocket: a workload's table, and the engine's job that is made of it."""

import base64
from pathlib import Path
from typing import Any

import pytest

from bakeoff.load import job
from bakeoff.model.errors import BadUsage
from bakeoff.model.receipt import Handle, Verification
from bakeoff.model.workload import Workload
from bakeoff.plan import Catalogue
from bakeoff.plan.capacity import CapacityOptions, plan_capacity
from bakeoff.plan.day import DayOptions, plan_day
from bakeoff.plan.workloads import read_workload
from tests.plan.places import environment
from tests.plan.test_requests import planned

WORKLOAD = """
name = "chat"
[websocket]
path = "/chat"
message = "häßlich"
headers = { Cookie = "a=1" }
"""


def test_a_message_is_carried_by_an_upgrade(tmp_path: Path) -> None:
    (tmp_path / "chat.toml").write_text(WORKLOAD)
    workload = read_workload(tmp_path / "chat.toml")
    request = workload.first
    assert (request.method, request.path, request.headers) == ("GET", "/chat", {"Cookie": "a=1"})
    assert workload.is_fixed
    assert workload.body(request) == "häßlich".encode()
    assert Workload.from_json(workload.to_json(), "") == workload


@pytest.mark.parametrize(
    ("given", "body"),
    [
        ({"message": "a{{b}}"}, b"a{{b}}"),
        ({"message_base64": "/w==", "binary": True}, b"\xff"),
        ({"message_bytes": 3, "binary": True}, b"1\n2"),
        ({"message": ""}, b""),
        ({"message": "a", "compression": True}, b"a"),
    ],
)
def test_the_engine_gets_the_message_beside_its_upgrade(
    tmp_path: Path, given: dict[str, Any], body: bytes
) -> None:
    plan = planned(tmp_path, "python3 a.py", workload={"websocket": {"path": "/ws", **given}})
    (entry,) = (each for each in plan.entries if not each.twin_of)
    handle = Handle(name=entry.name, address="127.0.0.1:1", host="a:1", port=1)
    (target,) = job(plan, [(handle, Verification(name=entry.name))], tmp_path).targets
    assert target.request and target.websocket
    assert (target.request.path, target.request.body_base64, target.expect) == ("/ws", "", None)
    assert base64.b64decode(target.websocket.message_base64) == body
    assert target.websocket.binary == given.get("binary", False)
    assert target.websocket.compression == given.get("compression", False)


@pytest.mark.parametrize(
    ("typed", "body", "binary"),
    [
        ({"message": "hi"}, b"hi", False),
        ({"message": ""}, b"", False),
        ({"message": "@note"}, b"\xc3\xa4", False),
        ({"message": "@note", "binary": True}, b"\xc3\xa4", True),
        ({"message_size": 3, "binary": True}, b"1\n2", True),
    ],
)
def test_a_message_is_typed(
    tmp_path: Path, typed: dict[str, Any], body: bytes, binary: bool
) -> None:
    (tmp_path / "note").write_text("ä")
    made = planned(tmp_path, request="/chat", headers=("Cookie: a=1",), **typed)
    sent = made.workload.websocket
    assert sent and (sent.body, sent.binary, sent.headers) == (body, binary, {"Cookie": "a=1"})
    assert made.entries[0].path == "/chat"


def test_a_url_of_websocket_names_a_server_its_path_and_tls(tmp_path: Path) -> None:
    one, two = "ws://127.0.0.1:9/a?b=c", "ws://127.0.0.1:9/d"
    made = planned(tmp_path, one, two, message="hi")
    assert [each.path for each in made.entries if not each.twin_of] == ["/a?b=c", "/d"]
    secure = planned(tmp_path, "wss://localhost/", message="hi", insecure=True)
    assert secure.protocol == "h1-tls"
    assert secure.entries[0].attached and secure.entries[0].attached.port == 443


def test_it_goes_over_http_1_alone(tmp_path: Path) -> None:
    chat = {"websocket": {"message": "a"}}
    assert planned(tmp_path, "http://127.0.0.1:9/", workload=chat).protocol == "h1"


@pytest.mark.parametrize(("name", "length"), [("ws-echo", 13), ("ws-echo-64k", 65536)])
def test_the_catalogues_messages_are_as_long_as_they_say(name: str, length: int) -> None:
    workload = Catalogue.shipped().workload(name)
    assert len(workload.body(workload.first)) == length


def test_what_is_behind_a_proxy_echoes_too() -> None:
    catalogue = Catalogue.shipped()
    behind = [catalogue.upstream(catalogue.workload(name)) for name in ("ws-forward", "forward")]
    assert [each and each.name for each in behind] == ["echo-upstream", "upstream"]
    assert catalogue.upstream(catalogue.workload("ws-echo")) is None


ROOM = {"websocket": {"path": "/ws", "message": "a", "room": 4}}


def test_a_room_is_on_one_of_the_engines_threads(tmp_path: Path) -> None:
    made = planned(tmp_path, "python3 a.py", workload=ROOM, connections=8)
    assert made.workload.room == 4 and not made.fewer_connections
    assert planned(tmp_path, message="a", room=2, connections=8).workload.room == 2
    handle = Handle(name=made.entries[0].name, address="127.0.0.1:1", host="a:1", port=1)
    cores = made.cores.model_copy(update={"client": (1, 2, 3)})
    made = made.model_copy(update={"cores": cores})
    sent = job(made, [(handle, Verification(name=handle.name))], tmp_path)
    assert (sent.connections, sent.threads) == (8, 2)
    assert sent.targets[0].websocket and sent.targets[0].websocket.room == 4


@pytest.mark.parametrize(
    ("options", "flag"),
    [
        ({"connections": 6}, "--connections 6: must be whole rooms of 4, as in --connections 4"),
        ({"connections": 2}, "as in --connections 4"),
        ({"connection": "close"}, "--close"),
        ({"pipeline": 2}, "--pipeline"),
    ],
)
def test_what_no_room_can_do_is_refused(tmp_path: Path, options: dict[str, Any], flag: str) -> None:
    with pytest.raises(BadUsage) as refused:
        planned(tmp_path, "python3 a.py", workload=ROOM, **{"connections": 4, **options})
    assert flag in str(refused.value)


def test_rooms_have_a_rate_and_a_capacity_but_no_day(tmp_path: Path) -> None:
    for given in ({"rate": 100.0}, {"load": 0.5}):
        made = planned(tmp_path, "python3 a.py", workload=ROOM, connections=4, **given)
        assert (made.mode, made.rate, made.load) == ("open", given.get("rate"), given.get("load"))
    operands, place = ["python3 a.py"], environment(directory=tmp_path)
    search = CapacityOptions(slo="last-p99=20ms", workload=ROOM, connections=8)
    (objective,) = plan_capacity(operands, search, place).objectives
    (bound,) = objective.bounds
    assert (bound.of, bound.p, bound.limit_us) == ("last", 0.99, 20_000.0)
    assert objective.text == "last-p99=20ms"
    with pytest.raises(BadUsage, match="a day overloads servers"):
        plan_day(operands, DayOptions(workload=ROOM, connections=8), place)


def test_without_rooms_nobody_is_a_last_listener(tmp_path: Path) -> None:
    operands, place = ["python3 a.py"], environment(directory=tmp_path)
    with pytest.raises(BadUsage, match=r"--slo last-p99=20ms: the messages of .* go to no rooms"):
        plan_capacity(operands, CapacityOptions(slo="last-p99=20ms"), place)
