"""Offsets of clocks: the truth lies within the error, whatever the ways there and back take."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from bakeoff.load.clocks import DRIFT_MAX, Offset, RemoteClock, compare_clocks, jumped

MS, S = 1_000_000, 1_000_000_000
WAYS = st.lists(
    st.tuples(st.integers(0, 50 * MS), st.integers(0, 50 * MS)), min_size=1, max_size=12
)
OFFSETS = st.integers(-(10**17), 10**17)


@dataclass
class Two:
    """Our clock, and one that is ahead by `offset_ns` and gains `ppm` on it. Each exchange takes
    the next of `ways`, there and back."""

    offset_ns: int
    ways: list[tuple[int, int]]
    ppm: float = 0.0
    time_ns: int = 10**18
    began_ns: int = 10**18
    asked: int = field(default=0)

    def now_ns(self) -> int:
        return self.time_ns

    def true_offset_ns(self) -> int:
        return self.offset_ns + round(self.ppm * 1e-6 * (self.time_ns - self.began_ns))

    def ask(self) -> int:
        there, back = self.ways[self.asked % len(self.ways)]
        self.asked += 1
        self.time_ns += there
        shown = self.time_ns + self.true_offset_ns()
        self.time_ns += back
        return shown


@given(OFFSETS, WAYS)
def test_the_truth_lies_within_the_error(offset_ns: int, ways: list[tuple[int, int]]) -> None:
    two = Two(offset_ns, ways)
    found = compare_clocks(two.ask, len(ways), two.now_ns)
    assert abs(found.offset_ns - offset_ns) <= found.error_ns
    assert found.consistent


@given(OFFSETS, WAYS)
def test_the_shortest_round_trip_counts(offset_ns: int, ways: list[tuple[int, int]]) -> None:
    two = Two(offset_ns, ways)
    found = compare_clocks(two.ask, len(ways), two.now_ns)
    shortest = min(there + back for there, back in ways)
    assert shortest <= found.round_trip_ns <= shortest + 1


@given(OFFSETS, st.integers(0, 50 * MS))
def test_ways_that_are_alike_give_the_offset_itself(offset_ns: int, way_ns: int) -> None:
    two = Two(offset_ns, [(way_ns, way_ns)])
    assert compare_clocks(two.ask, 3, two.now_ns).offset_ns == offset_ns


@given(OFFSETS, WAYS, st.floats(-100, 100), st.integers(1, 100))
def test_a_clock_that_drifts_has_not_jumped(
    offset_ns: int, ways: list[tuple[int, int]], ppm: float, apart_s: int
) -> None:
    two = Two(offset_ns, ways, ppm)
    first = compare_clocks(two.ask, len(ways), two.now_ns)
    two.time_ns += apart_s * S
    second = compare_clocks(two.ask, len(ways), two.now_ns)
    assert not jumped(first, second)


@given(WAYS, st.floats(-100, 100), st.integers(0, 20))
def test_an_old_offset_holds_true(ways: list[tuple[int, int]], ppm: float, later_s: int) -> None:
    two = Two(5 * S, ways, ppm)
    found = compare_clocks(two.ask, len(ways), two.now_ns)
    two.time_ns += later_s * S
    error_ns = abs(found.offset_ns - two.true_offset_ns())
    # It may have drifted during the exchanges, too.
    assert error_ns <= found.error_at_ns(two.time_ns) + DRIFT_MAX * 1.2 * S


@given(st.integers(-S, S).filter(lambda jump_ns: abs(jump_ns) > 3 * MS))
def test_a_jump_between_two_looks_is_noticed_and_what_follows_is_right_again(jump_ns: int) -> None:
    two = Two(0, [(MS // 2, MS // 3)])
    clock = RemoteClock(two.ask, two.now_ns)
    two.time_ns += 3 * S
    assert not clock.look() and clock.jumps == 0
    two.offset_ns += jump_ns
    two.time_ns += 3 * S
    assert clock.look() and clock.jumps == 1
    assert abs(clock.there_ns(two.time_ns) - two.time_ns - two.offset_ns) <= clock.error_ns()
    two.time_ns += 3 * S
    assert not clock.look() and clock.jumps == 1


def test_a_jump_between_two_exchanges_is_noticed_at_once() -> None:
    two = Two(0, [(1000, 1000)])

    def ask() -> int:
        if two.asked == 3:
            two.offset_ns += 40 * MS
        return two.ask()

    assert not compare_clocks(ask, 8, two.now_ns).consistent


def test_clocks_are_not_asked_before_every_slice() -> None:
    two = Two(7 * S, [(1000, 1000)])
    clock = RemoteClock(two.ask, two.now_ns)
    asked = two.asked
    for _ in range(10):
        two.time_ns += clock.EVERY_NS // 100
        assert not clock.look()
    assert two.asked == asked
    two.time_ns += clock.EVERY_NS
    clock.look()
    assert two.asked > asked


def test_a_clock_of_this_machine_is_no_way_off() -> None:
    import time

    found = compare_clocks(time.monotonic_ns)
    assert abs(found.offset_ns) <= found.error_ns and found.consistent


def test_half_a_nanosecond_is_rounded_towards_doubt() -> None:
    two = Two(0, [(1, 0)])
    assert compare_clocks(two.ask, 1, two.now_ns) == Offset(0, 1, 10**18 + 1)
