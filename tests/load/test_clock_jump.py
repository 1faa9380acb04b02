"""Two real engines load one server, and the clock of one of them jumps meanwhile.

No clock of this machine may jump, so it does at its interface: where it is asked, and where the
engine is told a moment and tells its own.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from bakeoff.judge.loaders import faults, spoiled
from bakeoff.load import Engine, Loader, Loaders, local
from bakeoff.load.clocks import RemoteClock
from bakeoff.model.engine import Job, Ready, SliceCommand, SliceEvent, SliceOfSeveral, Target
from bakeoff.model.samples import Block, Slice
from tests.brick.conftest import program, running
from tests.load.jobs import CLOSED, job, target

pytestmark = pytest.mark.e2e
JUMP_NS = 60_000_000
"""Longer than a slice: its two engines' windows have nothing in common."""
LOOKS_EVERY_NS = 400_000_000
FEW, SLICES = 5, 24
"""It jumps some time after the first few, as soon as it has just been looked at."""


@dataclass
class Jumping:
    """A machine whose clock is ahead of ours; `began_ns` is when its slices began, by ours."""

    ahead_ns: int = 10**12
    began_ns: list[int] = field(default_factory=list)

    def now_ns(self) -> int:
        return time.monotonic_ns() + self.ahead_ns

    def connect(self, asked: Job) -> "JumpingEngine":
        return JumpingEngine(self, Engine(asked))


@dataclass
class JumpingEngine:
    """An engine that has that clock."""

    machine: Jumping
    engine: Engine

    @property
    def ready(self) -> Ready:
        return self.engine.ready

    def slice(self, command: SliceCommand) -> SliceEvent:
        ahead_ns = self.machine.ahead_ns
        assert command.at_ns
        told = command.model_copy(update={"at_ns": command.at_ns - ahead_ns})
        event = self.engine.slice(told)
        self.machine.began_ns.append(event.start_ns)
        times = ("start_ns", "end_ns", "drained_ns")
        return event.model_copy(update={each: getattr(event, each) + ahead_ns for each in times})

    def begin(self, command: SliceCommand) -> None:
        self.engine.begin(command)

    def abort(self) -> None:
        self.engine.abort()

    def close(self) -> None:
        self.engine.close()


@pytest.fixture
def server() -> Iterator[Target]:
    with running([program("brick-yardstick"), "--port", "0"]) as up:
        yield target(f"127.0.0.1:{up.port}")


@pytest.mark.parametrize("jump_ns", [JUMP_NS, -JUMP_NS])
def test_what_was_not_loaded_together_is_left_out_and_the_rest_counts(
    server: Target, jump_ns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RemoteClock, "EVERY_NS", LOOKS_EVERY_NS)
    machine, blocks, apart, at = Jumping(), [], set(), 0
    loaders = Loaders([local("here"), Loader("there", machine.connect, machine.now_ns)])
    with loaders.connect(job(4, server)) as several:
        for number in range(SLICES):
            looked_ns = loaders.clocks["there"].last.at_ns
            if not at and number >= FEW and time.monotonic_ns() - looked_ns < LOOKS_EVERY_NS / 2:
                machine.ahead_ns += jump_ns
                at = number
            whole = several.slice(CLOSED)
            here = next(each for each in whole.loaders if each.loader == "here")
            if abs(here.event.start_ns - machine.began_ns[-1]) > 0.5 * JUMP_NS:
                apart.add(number)
            blocks.append(_block(number, whole))
    named = [faults(each.slices[0]).get("there") for each in blocks]
    assert named.count("loader_clock_jumped") == 1
    seen = named.index("loader_clock_jumped")
    assert 0 < at < seen
    unseen = set(range(at, seen))
    # One that is told a moment that has passed by its clock begins at once, and is found late.
    assert apart == unseen if jump_ns < 0 else apart <= unseen
    assert unseen | {seen} <= spoiled(blocks)
    assert not loaders.lost


def _block(number: int, whole: SliceOfSeveral) -> Block:
    measured = Slice(
        entry="yardstick",
        event=whole.whole,
        server_cpu=None,
        leak_ns=None,
        leak_wall_ns=None,
        loaders=whole.loaders,
    )
    return Block(boot=0, block=number, kind="short", slices=(measured,), at_ns=number, cores=())
