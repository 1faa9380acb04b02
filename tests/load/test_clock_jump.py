"""Two real engines load one server, and the clock of one of them jumps meanwhile.

No clock of this machine may jump, so it does at its interface: where it is asked, and where the
engine is told a moment and tells its own.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from bakeoff.judge.loaders import spoiled
from bakeoff.load import Engine, Loader, Loaders
from bakeoff.load.clocks import RemoteClock
from bakeoff.model.engine import Job, Ready, SliceCommand, SliceEvent, Target
from bakeoff.model.loaders import SliceOfSeveral
from bakeoff.model.samples import Block, Slice
from tests.brick.conftest import program, running
from tests.load.jobs import CLOSED, job, target

pytestmark = pytest.mark.e2e
JUMP_NS = 60_000_000
"""Longer than a slice: its two engines' windows have nothing in common."""
JUMPED, LOOKED, SLICES = 3, 6, 8
"""The slices before which the clock jumps, and is compared with ours again."""


@dataclass
class Machine:
    """A machine whose clock is ahead of ours; `told_ns` are the starts of its slices, by ours."""

    ahead_ns: int = 0
    told_ns: list[int] = field(default_factory=list)

    def now_ns(self) -> int:
        return time.monotonic_ns() + self.ahead_ns

    def connect(self, asked: Job) -> "EngineThere":
        return EngineThere(self, Engine(asked))


@dataclass
class EngineThere:
    """An engine that has that clock."""

    machine: Machine
    engine: Engine

    def __post_init__(self) -> None:
        self.begin, self.abort, self.close = self.engine.begin, self.engine.abort, self.engine.close

    @property
    def ready(self) -> Ready:
        return self.engine.ready

    def slice(self, command: SliceCommand) -> SliceEvent:
        ahead_ns = self.machine.ahead_ns
        assert command.at_ns
        self.machine.told_ns.append(command.at_ns - ahead_ns)
        told = command.model_copy(update={"at_ns": command.at_ns - ahead_ns})
        event = self.engine.slice(told)
        times = ("start_ns", "end_ns", "drained_ns")
        return event.model_copy(update={name: getattr(event, name) + ahead_ns for name in times})


@pytest.fixture
def server() -> Iterator[Target]:
    with running([program("brick-yardstick"), "--port", "0"]) as up:
        yield target(f"127.0.0.1:{up.port}")


@pytest.mark.parametrize("jump_ns", [JUMP_NS, -JUMP_NS])
def test_what_was_not_loaded_together_is_left_out_and_the_rest_counts(
    server: Target, jump_ns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there, blocks = Machine(), Machine(10**12), list[Block]()
    machines = {"here": here, "there": there}
    loaders = Loaders([Loader(name, one.connect, one.now_ns) for name, one in machines.items()])
    with loaders.connect(job(4, server)) as several:
        for number in range(SLICES):
            monkeypatch.setattr(RemoteClock, "EVERY_NS", 0 if number == LOOKED else 10**18)
            there.ahead_ns += jump_ns if number == JUMPED else 0
            blocks.append(_block(number, several.slice(CLOSED)))
    starts = enumerate(zip(here.told_ns, there.told_ns, strict=True))
    apart = {number for number, (ours, theirs) in starts if abs(ours - theirs) > JUMP_NS / 2}
    assert apart == set(range(JUMPED, LOOKED))
    jumps = [[share.clock_jumped for share in block.slices[0].loaders] for block in blocks]
    assert [number for number, jumped in enumerate(jumps) if any(jumped)] == [LOOKED]
    assert apart | {LOOKED} <= spoiled(blocks)
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
