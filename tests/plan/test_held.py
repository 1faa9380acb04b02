"""Streams that are held beside the requests: a workload's table, options, and the engine's job."""

from pathlib import Path
from typing import Any

import pytest

from bakeoff.load import job
from bakeoff.model.errors import BadFile, BadUsage
from bakeoff.model.receipt import Handle, Verification
from bakeoff.model.workload import Workload
from bakeoff.plan import Catalogue
from bakeoff.plan.capacity import CapacityOptions, plan_capacity
from bakeoff.plan.day import DayOptions, plan_day
from bakeoff.plan.schedule import long_ms_min
from tests.plan.places import environment
from tests.plan.test_requests import planned

HELD = {"streams": 100, "path": "/ticks", "gap_ms": 200}
BESIDE = {"request": {"path": "/"}, "held": HELD}


def test_the_engine_gets_the_streams_beside_the_requests(tmp_path: Path) -> None:
    plan = planned(tmp_path, "python3 a.py", workload=BESIDE)
    (entry,) = (each for each in plan.entries if not each.twin_of)
    handle = Handle(name=entry.name, address="127.0.0.1:1", host="a:1", port=1)
    verified = Verification(name=entry.name)
    (target,) = job(plan, [(handle, verified)], tmp_path).targets
    assert target.held and target.expect and target.expect.events is None
    assert (target.held.streams, target.held.request.path) == (100, "/ticks")
    assert target.held.expect.events and target.held.expect.events.count is None
    assert ("accept", "text/event-stream") in [
        (name.lower(), value) for name, value in target.held.request.headers
    ]


def test_options_say_the_same(tmp_path: Path) -> None:
    plan = planned(tmp_path, "python3 a.py", held=100, held_path="/ticks")
    held = plan.workload.held
    assert held and (held.streams, held.path, held.gap_ms) == (100, "/ticks", None)


def test_long_slices_last_several_gaps(tmp_path: Path) -> None:
    assert long_ms_min(planned(tmp_path, "python3 a.py", workload=BESIDE)) == 1000
    slow = {**BESIDE, "held": {**HELD, "gap_ms": 1000}}
    assert long_ms_min(planned(tmp_path, "python3 a.py", workload=slow)) == 5000
    assert long_ms_min(planned(tmp_path, "python3 a.py", workload={"request": {}})) == 250


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        ({"held": {**HELD, "streams": 0}}, "held.streams"),
        ({"held": {"streams": 5}}, "held.path"),
        ({"held": {**HELD, "path": "ticks"}}, "held.path"),
        ({"held": {**HELD, "gap_ms": 0}}, "held.gap_ms"),
        ({"held": HELD, "websocket": {"message": "a"}}, None),
        ({"held": HELD, "expect": {"events": 3}}, None),
        ({"held": HELD, "grpc": {"method": "a.B/C", "message_base64": ""}}, None),
    ],
)
def test_what_cannot_be_held_is_named(wrong: dict[str, Any], key: str | None) -> None:
    with pytest.raises(BadFile) as error:
        Workload.checked({"name": "a", **wrong}, "a.toml")
    assert error.value.key == key


@pytest.mark.parametrize(
    ("options", "flag"),
    [
        ({"held": 5}, "--held"),
        ({"held_path": "/ticks"}, "--held-path"),
        ({"held": 5, "held_path": "ticks"}, "--held-path"),
        ({"workload": BESIDE, "connection": "close"}, "--close"),
        ({"workload": BESIDE, "protocol": ("h3",)}, "--protocol h3"),
        ({"workload": BESIDE, "why": True}, "--why"),
        ({"held": 5, "held_path": "/ticks", "message": "a"}, "--held"),
        ({"held": 5, "held_path": "/ticks", "grpc": "a.B/C"}, "--grpc"),
    ],
)
def test_what_does_not_go_with_held_streams_is_refused(
    tmp_path: Path, options: dict[str, Any], flag: str
) -> None:
    with pytest.raises(BadUsage, match=f"^{flag}"):
        planned(tmp_path, "python3 a.py", **options)


def test_streams_are_held_in_races_alone(tmp_path: Path) -> None:
    place, operands = environment(directory=tmp_path), ["python3 a.py", "python3 b.py"]
    with pytest.raises(BadUsage, match="bakeoff race"):
        plan_capacity(operands, CapacityOptions(workload=BESIDE, slo="p99=10ms"), place)
    with pytest.raises(BadUsage, match="bakeoff race"):
        plan_day(operands, DayOptions(workload=BESIDE), place)


def test_the_catalogue_has_streams_to_be_held() -> None:
    assert Catalogue.shipped().workload("beside-streams").held
