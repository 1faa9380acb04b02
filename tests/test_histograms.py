"""Counts of a histogram, made of values and read again."""

import numpy as np
from hdrh.histogram import HdrHistogram

from bakeoff.histograms import SCALE, added, counted, encoded, nonzero, upper_ns


def test_counts_are_those_of_the_format_s_own_library() -> None:
    edges = [place + near for place in (1024, 2048, 4096, 2**31) for near in (-1, 0, 1)]
    values = [1, *edges, 86_400_000_000_000]
    numbers = [7 + place for place in range(len(values))]
    theirs = HdrHistogram(1, 24 * 3600 * 1_000_000_000, 3)
    for value, number in zip(values, numbers, strict=True):
        theirs.record_value(value, number)
    ours = counted(values, numbers)
    assert encoded(ours) == theirs.encode().decode()
    assert added([encoded(ours)])[1] == [sum(numbers)]


def test_the_same_value_twice_counts_twice() -> None:
    counts = counted(np.array([5, 5, 9]))
    used = nonzero(counts)
    assert upper_ns(used).tolist() == [5, 9]
    assert counts[used].tolist() == [2, 1]


def test_the_highest_value_of_a_place_is_that_of_the_format_s_own_library() -> None:
    indexes = np.array([0, 1, 1023, 1024, 2047, 2048, 3071, 3072, 20_000, SCALE.counts_len - 1])
    theirs = [
        SCALE.get_highest_equivalent_value(SCALE.get_value_from_index(index)) for index in indexes
    ]
    assert upper_ns(indexes).tolist() == theirs
