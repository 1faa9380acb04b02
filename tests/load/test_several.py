"""Several load generators are one: nothing is lost, nothing is sent twice, and one may die."""

import base64
import os
import signal
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.histograms import added, encoded, summed
from bakeoff.judge.latency import merge
from bakeoff.load import Engine, Loader, Loaders, local
from bakeoff.load.engine import EngineFailed
from bakeoff.load.merging import merged
from bakeoff.load.several import seed_of, shared_out
from bakeoff.model.engine import (
    Expect,
    Job,
    Ready,
    ReadyTarget,
    Request,
    Requests,
    RequestSlice,
    SliceCommand,
    SliceEvent,
    Target,
)
from bakeoff.model.loaders import LoaderSlice
from bakeoff.model.readings import CoreTime
from bakeoff.model.samples import Slice
from tests.brick.conftest import program, running

BODY = b"Hello, World!"
LATENCIES_NS = st.lists(st.integers(1, 59_000_000_000), max_size=30)


def target(address: str = "127.0.0.1:1", body: bytes = BODY) -> Target:
    return Target(
        name="hello",
        address=address,
        request=Request(method="GET", path="/", host=address),
        expect=Expect(status=200, body_base64=base64.b64encode(body).decode()),
    )


def job(connections: int = 4, of: Target | None = None, cpus: tuple[int, ...] = ()) -> Job:
    return Job(
        targets=(of or target(),),
        connections=connections,
        threads=1,
        io="auto",
        connection="keep-alive",
        cpus=cpus,
        connect_timeout_ms=1000,
        request_timeout_ms=1000,
    )


CLOSED = SliceCommand(target=0, block=3, ramp_ms=5, duration_ms=50)
OPEN = CLOSED.model_copy(update={"rate": 400.0, "seed": 7})


def histogram(latencies_ns: list[int]) -> str:
    if not latencies_ns:
        return ""
    whole = HdrHistogram(1, 60_000_000_000, 3)
    for each in latencies_ns:
        whole.record_value(each)
    return str(whole.encode().decode())


def event(latencies_ns: list[int], **given: object) -> SliceEvent:
    """What one engine measured: `latencies_ns`, in a window of 50 ms that began at 1 s."""
    n = len(latencies_ns)
    return SliceEvent.model_validate(
        {
            **{"target": 0, "block": 3, "start_ns": 10**9, "end_ns": 1_050_000_000},
            **{"drained_ns": 1_050_400_000, "requests": n, "bytes": 147 * n},
            "requests_all": n + 2,
            **{
                "redirects": 0,
                "misses": 1,
                "unsent": 0,
                "connects": 2,
                "idle_closed": 0,
                "errors": {},
            },
            **{"latency": histogram(latencies_ns), "latency_count": n},
            "latency_mean_us": statistics.fmean(latencies_ns) / 1e3 if n else 0.0,
            **{"in_flight_ns": sum(latencies_ns), "service": None, "send_lag": None},
            **{"cpu_ns": 25_000_000, "busy": 0.5, "first_bad": None},
            **given,
        }
    )


def share(name: str, measured: SliceEvent, **given: object) -> LoaderSlice:
    usual = {"connections": 4, "threads": 1, "offset_ns": 0, "clock_error_ns": 0}
    return LoaderSlice.model_validate({"loader": name, "event": measured, **usual, **given})


class TestHistograms:
    @settings(max_examples=40, deadline=None)
    @given(st.lists(LATENCIES_NS, min_size=1, max_size=4))
    def test_quantiles_are_those_of_one_histogram_over_all_samples(
        self, parts: list[list[int]]
    ) -> None:
        together = merged([share(f"l{n}", event(part)) for n, part in enumerate(parts)])
        whole = event([each for part in parts for each in part])
        assert (added([together.latency])[0] == added([whole.latency])[0]).all()
        assert together.latency_count == whole.latency_count
        ours = merge([together])
        theirs = merge([whole.model_copy(update={"misses": len(parts)})])
        for p in (0.5, 0.99, 0.999, 1.0):
            assert ours.quantile_us(p) == theirs.quantile_us(p)
        assert ours.mean_us == pytest.approx(theirs.mean_us)

    @settings(max_examples=40, deadline=None)
    @given(LATENCIES_NS)
    def test_what_is_written_is_read_by_others_as_it_was(self, latencies_ns: list[int]) -> None:
        written = encoded(added([histogram(latencies_ns)])[0])
        if not latencies_ns:
            assert written == ""
            return
        read = HdrHistogram.decode(written)
        first = HdrHistogram.decode(histogram(latencies_ns))
        assert read.get_total_count() == len(latencies_ns)
        for percentile in (0, 50, 99, 99.9, 100):
            expected = first.get_value_at_percentile(percentile)
            assert read.get_value_at_percentile(percentile) == expected

    def test_large_counts_keep_their_last_digit(self) -> None:
        counts = np.zeros_like(added([])[0])
        counts[[0, 1, 5_000]] = (1, 2**40 + 1, 3)
        assert (added([summed([encoded(counts), "", encoded(counts)])])[0] == 2 * counts).all()


class TestMerging:
    def test_counts_and_errors_add_up_and_times_are_ours(self) -> None:
        first = event([1000, 2000], errors={"timeout": 1}, busy=1.0)
        # Of three cores one is full.
        full = (0.2, 1.0, 0.3)
        second = event(
            [3000],
            errors={"timeout": 2, "status": 1},
            busy_threads=full,
            handshakes=2,
            handshake_mean_us=30.0,
            start_ns=7_000_000_300,
            end_ns=7_050_000_300,
            drained_ns=7_099_000_300,
        )
        parts = [share("a", first), share("b", second, offset_ns=6_000_000_000, threads=3)]
        whole = merged(parts)
        assert (whole.requests, whole.misses, whole.requests_all) == (3, 2, 7)
        assert (whole.errors, whole.in_flight_ns) == ({"timeout": 3, "status": 1}, 6000)
        assert (whole.start_ns, whole.window_ns) == (10**9, 50_000_000)
        assert whole.drained_ns == 1_099_000_300
        assert whole.busy == pytest.approx((1.0 + 3 * 0.5) / 4)
        assert whole.busy_cores == (1.0,)
        assert (whole.handshakes, whole.handshake_mean_us) == (2, 30.0)
        assert whole.latency_mean_us == pytest.approx(2.0)
        assert whole.requests_per_s == pytest.approx(first.requests_per_s + second.requests_per_s)

    def test_one_alone_is_as_it_was(self) -> None:
        only = event(
            [1000, 2000],
            busy_threads=(0.2, 0.8),
            service=histogram([900]),
            send_lag=histogram([100]),
        )
        assert merged([share("a", only)]) == only

    def test_shares_of_answers_add_up_where_all_have_them(self) -> None:
        parts = [event([1000], requests_by_share=1.5), event([3000], requests_by_share=0.25)]
        whole = merged([share(f"l{n}", each) for n, each in enumerate(parts)])
        assert whole.requests_by_share == 1.75
        assert whole.requests_per_s == pytest.approx(sum(each.requests_per_s for each in parts))
        parts.append(event([1000]))  # An engine of an earlier version.
        whole = merged([share(f"l{n}", each) for n, each in enumerate(parts)])
        assert whole.requests_by_share is None

    def test_requests_of_a_file_add_up_one_by_one(self) -> None:
        def part(latencies_ns: list[int]) -> RequestSlice:
            return RequestSlice(
                requests=len(latencies_ns), misses=1, errors={"status": 1},
                latency=histogram(latencies_ns), latency_count=len(latencies_ns),
                latency_mean_us=statistics.fmean(latencies_ns) / 1e3,
            )  # fmt: skip

        rows = [(part([1000]), part([5000])), (part([3000]), part([7000, 9000]))]
        whole = merged([share(f"l{n}", event([1], by_request=row)) for n, row in enumerate(rows)])
        assert whole.by_request
        often, seldom = whole.by_request
        assert (often.requests, often.misses, often.errors) == (2, 2, {"status": 2})
        assert seldom.latency_mean_us == pytest.approx(7.0)
        assert merge([seldom]).answered == 3


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

    @given(st.integers(0, 2**64 - 1))
    def test_seeds_differ_and_the_first_is_that_of_one_alone(self, seed: int) -> None:
        seeds = [seed_of(seed, place) for place in range(64)]
        assert seeds[0] == seed and len(set(seeds)) == 64 and max(seeds) < 2**64


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
        fakes.up["b"].dies = "volley ended with status -9"
        first, second = several.slice(CLOSED), several.slice(CLOSED)
    assert (first.requests, first.lost) == (2, {"b": "volley ended with status -9"})
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
    deadline_s = time.monotonic() + 5
    names = {"loader first", "loader second"}
    while names & {each.name for each in threading.enumerate()}:
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


@pytest.fixture(scope="module")
def yardstick() -> Iterator[Target]:
    """A server that answers `BODY`."""
    with running([program("brick-yardstick"), "--port", "0"]) as server:
        yield target(f"127.0.0.1:{server.port}")


@pytest.mark.e2e
class TestEngines:
    """Two real engines."""

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
        assert first.lost == {"b": "volley ended with status -9"}
        assert first.requests > 0 and second.requests > 0
        assert [each.loader for each in second.loaders] == ["a"]
        assert list(loaders.lost) == ["b"]

    def test_a_job_that_all_refuse_is_refused(self, yardstick: Target) -> None:
        wrong = yardstick.model_copy(update={"address": "nowhere"})
        with pytest.raises(EngineFailed, match="must be numeric"):
            Loaders([local("a"), local("b")]).connect(job(4, wrong))
