"""Several load generators are one: nothing is lost, nothing is sent twice, and one may die."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.histograms import added
from bakeoff.load import Engine, Loader, Loaders, local
from bakeoff.load.engine import EngineFailed
from bakeoff.load.several import seed_of, shared_out
from bakeoff.model.engine import (
    Job,
    Message,
    Ready,
    ReadyTarget,
    Request,
    Requests,
    SliceCommand,
    SliceEvent,
    Target,
)
from bakeoff.model.readings import CoreTime
from bakeoff.model.samples import Slice
from tests.brick.conftest import program, running
from tests.load.jobs import CLOSED, job, target
from tests.load.test_merging import event
from tests.ratios import known
from tests.verify.serving import serving
from tests.verify.websockets import passing_on
from tests.waiting import wait_for

OPEN = CLOSED.model_copy(update={"rate": 400.0, "seed": 7})


class TestShares:
    @given(st.integers(1, 12), st.integers(0, 500))
    def test_connections_are_shared_out_evenly_and_all_of_them(self, n: int, more: int) -> None:
        jobs = shared_out(job(n + more), [local(f"l{k}") for k in range(n)])
        each = [one.connections for one in jobs]
        assert sum(each) == n + more and max(each) - min(each) <= 1

    def test_each_has_threads_for_its_own_cores(self) -> None:
        jobs = shared_out(job(6), [local("a", (1, 2, 3, 4)), local("b", (5,)), local("c")])
        assert [(one.threads, one.cpus) for one in jobs] == [(2, (1, 2, 3, 4)), (1, (5,)), (1, ())]

    def test_rows_of_a_file_are_drawn_by_seeds_of_their_own(self) -> None:
        asked = Requests(file="mix.toml", host="a", seed=5)
        mix = Target(name="mix", address="127.0.0.1:1", requests=asked)
        jobs = shared_out(job(4, mix), [local("a"), local("b")])
        seeds = [one.targets[0].requests.seed for one in jobs if one.targets[0].requests]
        assert seeds[0] == 5 and seeds[1] != 5

    def test_each_has_whole_rooms_of_its_own(self) -> None:
        jobs = shared_out(job(10, rooms("127.0.0.1:1")), [local("a", (1, 2, 3, 4)), local("b")])
        messages = [one.targets[0].websocket for one in jobs]
        assert [one.connections for one in jobs] == [6, 4]
        assert [one.threads for one in jobs] == [3, 1]
        assert [each and each.first_room for each in messages] == [None, 3]

    @given(st.integers(0, 2**64 - 1))
    def test_seeds_differ_and_the_first_is_that_of_one_alone(self, seed: int) -> None:
        seeds = [seed_of(seed, place) for place in range(64)]
        assert seeds[0] == seed and len(set(seeds)) == 64 and max(seeds) < 2**64


def rooms(address: str) -> Target:
    """Rooms of two."""
    asked = Request(method="GET", path="/", host="a")
    message = Message(message_base64="aGk=", binary=False, compression=False, room=2)
    return Target(name="rooms", address=address, request=asked, websocket=message)


@dataclass
class Fake:
    """A generator whose clock is ahead of ours; what it was told, and how it ends."""

    job: Job
    ahead_ns: int = 0
    told: list[SliceCommand] = field(default_factory=list)
    dies: str = ""
    ended: bool = False
    engine: str = "0.2"

    @property
    def ready(self) -> Ready:
        one = ReadyTarget(name="hello", open=self.job.connections, error=None)
        return Ready(type="ready", protocol=4, engine=self.engine, io="uring",
                     threads=self.job.threads, targets=(one,))  # fmt: skip

    def slice(self, command: SliceCommand) -> SliceEvent:
        self.told.append(command)
        if self.dies:
            raise EngineFailed(self.dies)
        assert command.at_ns
        start_ns = command.at_ns + command.ramp_ms * 1_000_000
        return event(
            [1000],
            start_ns=start_ns,
            end_ns=start_ns + 50_000_000,
            drained_ns=start_ns + 50_000_000,
        )

    def begin(self, command: SliceCommand) -> None:
        self.told.append(command)

    def abort(self) -> None:
        self.ended = True

    def close(self) -> None:
        self.ended = True


@dataclass
class Fakes:
    """Fake generators by the name of their loader, of which some never come up."""

    ahead_ns: dict[str, int] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    engines: dict[str, str] = field(default_factory=dict)
    up: dict[str, Fake] = field(default_factory=dict)
    cores: dict[str, Callable[[], tuple[CoreTime, ...]]] = field(default_factory=dict)

    def loader(self, name: str) -> Loader:
        ahead_ns = self.ahead_ns.get(name, 0)

        def connect(job: Job) -> Fake:
            if name in self.absent:
                raise EngineFailed(f"{name} is not there")
            self.up[name] = Fake(job, ahead_ns, engine=self.engines.get(name, "0.2"))
            return self.up[name]

        ask = lambda: time.monotonic_ns() + ahead_ns  # noqa: E731
        return Loader(name, connect, ask, cores=self.cores.get(name))

    def loaders(self, *names: str) -> Loaders:
        return Loaders([self.loader(name) for name in names])


def test_all_are_told_one_moment_each_by_its_own_clock() -> None:
    fakes = Fakes({"b": 10**15, "c": -(10**9)})
    with fakes.loaders("a", "b", "c").connect(job(6)) as several:
        whole = several.slice(CLOSED)
    at_ns = [fakes.up[name].told[0].at_ns or 0 for name in "abc"]
    here_ns = [at_ns[0], at_ns[1] - 10**15, at_ns[2] + 10**9]
    errors_ns = max(part.clock_error_ns for part in whole.loaders)
    assert max(here_ns) - min(here_ns) <= 2 * errors_ns
    assert [part.loader for part in whole.loaders] == ["a", "b", "c"]
    assert (whole.requests, whole.lost) == (3, {})
    starts_ns = [part.start_ns for part in whole.loaders]
    assert max(starts_ns) - min(starts_ns) <= 2 * errors_ns
    assert abs(whole.start_ns - here_ns[0] - 5_000_000) <= 2 * errors_ns
    assert all(each.ended for each in fakes.up.values())


def test_a_rate_is_shared_by_seeds_and_phases() -> None:
    fakes = Fakes()
    with fakes.loaders("a", "b", "c", "d").connect(job(4)) as several:
        several.slice(OPEN)
    told = [fakes.up[name].told[0] for name in "abcd"]
    assert [each.rate for each in told] == [100.0] * 4
    assert [each.phase for each in told] == [0.125, 0.375, 0.625, 0.875]
    assert len({each.seed for each in told}) == 4 and told[0].seed == OPEN.seed


def test_open_connections_and_threads_are_those_of_all() -> None:
    with Fakes().loaders("a", "b").connect(job(5)) as several:
        assert (several.ready.targets[0].open, several.ready.threads) == (5, 2)


def test_loaders_without_a_connection_rest() -> None:
    fakes = Fakes()
    with fakes.loaders("a", "b", "c").connect(job(1)) as several:
        several.slice(CLOSED)
    assert list(fakes.up) == ["a"]


def test_one_that_dies_is_told_once_and_the_rest_goes_on() -> None:
    fakes = Fakes()
    loaders = fakes.loaders("a", "b", "c")
    with loaders.connect(job(6)) as several:
        fakes.up["b"].dies = "the load engine ended with status -9"
        first, second = several.slice(CLOSED), several.slice(CLOSED)
    assert (first.requests, first.lost) == (2, {"b": "the load engine ended with status -9"})
    assert (second.requests, second.lost) == (2, {})
    assert fakes.up["b"].ended
    with loaders.connect(job(6)) as several:
        # The next connections are shared out among those that are left.
        assert [each.job.connections for each in (fakes.up["a"], fakes.up["c"])] == [3, 3]
        assert several.ready.targets[0].open == 6


def test_one_that_does_not_come_up_is_left_out_and_said_so() -> None:
    fakes = Fakes(absent={"b"})
    with fakes.loaders("a", "b").connect(job(6)) as several:
        assert several.ready.targets[0].open == 6
        assert several.slice(CLOSED).lost == {"b": "b is not there"}


def test_without_any_there_is_no_load() -> None:
    with pytest.raises(EngineFailed, match="a: a is not there; b: b is not there"):
        Fakes(absent={"a", "b"}).loaders("a", "b").connect(job())
    fakes = Fakes()
    with fakes.loaders("a").connect(job()) as several:
        fakes.up["a"].dies = "gone"
        with pytest.raises(EngineFailed, match="a: gone"):
            several.slice(CLOSED)


def test_unlike_engines_are_refused_by_name() -> None:
    with pytest.raises(EngineFailed, match=r"0\.2 on a, 0\.1 on b; install one everywhere"):
        Fakes(engines={"b": "0.1"}).loaders("a", "b").connect(job())


def test_a_slice_begun_is_ended_with_all_of_them() -> None:
    fakes = Fakes()
    several = fakes.loaders("a", "b").connect(job())
    several.begin(CLOSED)
    several.abort()
    assert all(each.ended and each.told for each in fakes.up.values())
    several.close()


def test_what_the_host_took_of_a_loaders_cores_is_told() -> None:
    readings = iter(range(100))

    def cores() -> tuple[CoreTime, ...]:
        n = next(readings)
        return (CoreTime(cpu=0, user_s=0.75 * n, system_s=0, softirq_s=0, steal_s=0.25 * n,
                         idle_s=0),)  # fmt: skip

    with Fakes(cores={"a": cores}).loaders("a", "b").connect(job()) as several:
        shares = several.slice(CLOSED).loaders
    assert [each.stolen for each in shares] == [0.25, None]


def test_a_sample_keeps_each_loaders_figures() -> None:
    with Fakes().loaders("a", "b").connect(job()) as several:
        whole = several.slice(CLOSED)
    kept = Slice(entry="x", event=whole.whole, server_cpu=None, leak_ns=None, leak_wall_ns=None,
                 loaders=whole.loaders, lost={"c": "gone"})  # fmt: skip
    assert Slice.from_json(kept.to_json(), "samples") == kept
    alone = kept.model_copy(update={"loaders": (), "lost": {}})
    assert "loaders" not in alone.to_json() and "lost" not in alone.to_json()


def test_their_threads_end_with_them() -> None:
    with Fakes().loaders("first", "second").connect(job()) as several:
        several.slice(CLOSED)
    names = {"loader first", "loader second"}
    wait_for(lambda: not names & {each.name for each in threading.enumerate()})


@pytest.fixture(scope="module")
def yardstick() -> Iterator[Target]:
    """A server that answers `BODY`."""
    with running([program("brick-yardstick"), "--port", "0"]) as server:
        yield target(f"127.0.0.1:{server.port}")


@pytest.mark.e2e
class TestEngines:
    def test_they_load_together(self, yardstick: Target) -> None:
        with Loaders([local("a", (0,)), local("b")]).connect(job(5, yardstick)) as several:
            assert several.ready.targets[0].open == 5
            for _ in range(3):
                whole = several.slice(CLOSED)
                assert whole.errors == {} and whole.misses == 0
                assert whole.requests == sum(each.event.requests for each in whole.loaders) > 0
                assert whole.window_ns == 50_000_000
                counted = added([whole.latency])[1][0]
                assert (
                    counted
                    == whole.latency_count
                    == sum(each.event.latency_count for each in whole.loaders)
                )

    def test_each_speaks_in_rooms_of_its_own(self) -> None:
        with serving(passing_on()) as port:
            asked = job(6, rooms(f"127.0.0.1:{port}"))
            loaders = [local("a"), local("b"), local("c"), local("d")]
            with Loaders(loaders).connect(asked) as several:
                command = OPEN.model_copy(update={"duration_ms": 200, "ramp_ms": 0, "rate": 150.0})
                for told in (CLOSED, command):
                    whole = several.slice(told)
                    heard = known(whole.rooms)
                    # A copy of another room would be one that was heard twice.
                    assert whole.errors == {} and whole.misses == 0
                    assert heard.due == heard.heard == 2 * heard.messages > 0
                assert len(whole.loaders) == 3 and heard.messages == 30

    def test_arrivals_of_all_are_those_of_one(self, yardstick: Target) -> None:
        command = OPEN.model_copy(update={"duration_ms": 200, "ramp_ms": 0, "rate": 500.0})
        with Engine(job(6, yardstick)) as alone:
            due = alone.slice(command).due
        with Loaders([local("a"), local("b"), local("c")]).connect(job(6, yardstick)) as several:
            assert abs(several.slice(command).due - due) <= 1

    def test_an_engine_that_is_killed_is_lost_and_the_others_go_on(self, yardstick: Target) -> None:
        engines: list[Engine] = []

        def kept(job: Job) -> Engine:
            engines.append(Engine(job))
            return engines[-1]

        loaders = Loaders([local("a"), Loader("b", kept, time.monotonic_ns)])
        with loaders.connect(job(4, yardstick)) as several:
            os.kill(engines[0]._process.pid, signal.SIGKILL)
            first, second = several.slice(CLOSED), several.slice(CLOSED)
        assert first.lost == {"b": "the load engine ended with status -9"}
        assert first.requests > 0 and second.requests > 0
        assert [each.loader for each in second.loaders] == ["a"]
        assert list(loaders.lost) == ["b"]

    def test_a_job_that_all_refuse_is_refused(self, yardstick: Target) -> None:
        wrong = yardstick.model_copy(update={"address": "nowhere"})
        with pytest.raises(EngineFailed, match="must be numeric"):
            Loaders([local("a"), local("b")]).connect(job(4, wrong))
