"""Several load generators' figures as those of one: nothing is lost."""

import statistics

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.histograms import added, encoded, summed
from bakeoff.judge.latency import merge
from bakeoff.load.merging import merged
from bakeoff.model.engine import RequestSlice, SliceEvent
from bakeoff.model.loaders import LoaderSlice

LATENCIES_NS = st.lists(st.integers(1, 59_000_000_000), max_size=30)


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
    def test_quantiles_are_those_of_one_histogram_of_all(self, parts: list[list[int]]) -> None:
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
            delayed_ns=7,
            service=histogram([900]),
            send_lag=histogram([100]),
        )
        assert merged([share("a", only)]) == only

    def test_where_no_first_byte_came_ahead_of_the_end_the_latency_is_its(self) -> None:
        ahead = histogram([400, 2900])
        parts = [event([1000, 3000], first_byte=ahead), event([5000])]
        whole = merged([share(f"l{n}", each) for n, each in enumerate(parts)])
        assert whole.first_byte == summed([ahead, histogram([5000])])
        assert merged([share("l0", parts[1])]).first_byte is None

    def test_shares_of_answers_add_up_where_all_have_them(self) -> None:
        parts = [event([1000], requests_by_share=1.5), event([3000], requests_by_share=0.25)]
        whole = merged([share(f"l{n}", each) for n, each in enumerate(parts)])
        assert whole.requests_by_share == 1.75
        assert whole.requests_per_s == pytest.approx(sum(each.requests_per_s for each in parts))
        parts.append(event([1000]))  # An engine of an earlier version.
        whole = merged([share(f"l{n}", each) for n, each in enumerate(parts)])
        assert whole.requests_by_share is None

    def test_of_several_the_one_that_was_delayed_most_counts(self) -> None:
        parts = [event([1000], delayed_ns=100), event([3000], delayed_ns=900)]
        whole = merged([share(f"l{n}", each, threads=2) for n, each in enumerate(parts)])
        assert whole.delayed_ns == 450
        parts.append(event([1000], delayed_ns=None))
        whole = merged([share(f"l{n}", each) for n, each in enumerate(parts)])
        assert whole.delayed_ns is None

    def test_requests_of_a_file_add_up_one_by_one(self) -> None:
        def part(latencies_ns: list[int], first_byte: str | None = None) -> RequestSlice:
            return RequestSlice(
                requests=len(latencies_ns), misses=1, errors={"status": 1},
                latency=histogram(latencies_ns), latency_count=len(latencies_ns),
                latency_mean_us=statistics.fmean(latencies_ns) / 1e3, first_byte=first_byte,
            )  # fmt: skip

        rows = [(part([1000]), part([5000])), (part([3000], histogram([10])), part([7000, 9000]))]
        whole = merged([share(f"l{n}", event([1], by_request=row)) for n, row in enumerate(rows)])
        assert whole.by_request
        often, seldom = whole.by_request
        assert (often.requests, often.misses, often.errors) == (2, 2, {"status": 2})
        assert seldom.latency_mean_us == pytest.approx(7.0)
        assert merge([seldom]).answered == 3
        assert often.first_byte == summed([histogram([1000]), histogram([10])])
        assert seldom.first_byte is None
