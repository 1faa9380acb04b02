"""The line protocol, from the driver's side: the same example files as the engine's own tests."""

from pathlib import Path

import pytest

from bakeoff.model.base import Contract
from bakeoff.model.engine import (
    Done,
    EngineError,
    Job,
    Ready,
    SliceCommand,
    SliceEvent,
    StopCommand,
    Target,
)
from bakeoff.model.errors import BadFile

EXAMPLES = Path(__file__).parents[2] / "engine" / "examples"
MESSAGES: dict[str, type[Contract]] = {
    "job.json": Job,
    "slice-command.json": SliceCommand,
    "open-slice-command.json": SliceCommand,
    "stop.json": StopCommand,
    "ready.json": Ready,
    "slice-event.json": SliceEvent,
    "open-slice-event.json": SliceEvent,
    "done.json": Done,
    "error.json": EngineError,
}


def test_every_example_is_a_message_that_we_know() -> None:
    assert {path.name for path in EXAMPLES.iterdir()} == set(MESSAGES)


@pytest.mark.parametrize("name", MESSAGES)
def test_an_example_is_read_and_written_unchanged(name: str) -> None:
    text = (EXAMPLES / name).read_text()
    read = MESSAGES[name].from_json(text, name)
    assert MESSAGES[name].from_json(read.to_json(), name) == read


def test_a_slice_of_an_earlier_version_has_no_distance_of_the_cores() -> None:
    now = SliceEvent.from_json((EXAMPLES / "slice-event.json").read_text(), "event")
    then = now.model_dump(exclude={"core_trip_ns"})
    assert (now.core_trip_ns, SliceEvent.model_validate(then).core_trip_ns) == (84, None)


REQUEST = {"method": "GET", "path": "/", "host": "a"}
EXPECT = {"status": 200, "body_base64": None}
MESSAGE = {"message_base64": "", "binary": False, "compression": False}
FILE = {"file": "mix.toml", "host": "a"}


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"request": REQUEST},
        {"expect": EXPECT},
        {"websocket": MESSAGE},
        {"request": REQUEST, "expect": EXPECT, "websocket": MESSAGE},
        {"requests": FILE, "websocket": MESSAGE},
        {"requests": FILE, "expect": EXPECT},
        {"requests": FILE, "request": REQUEST, "expect": EXPECT},
    ],
)
def test_a_target_is_asked_one_request_or_those_of_a_file(asked: dict[str, object]) -> None:
    with pytest.raises(BadFile, match="`request` with `expect` or `websocket`"):
        Target.checked({"name": "a", "address": "127.0.0.1:1"} | asked, "job")
