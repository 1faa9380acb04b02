"""Throughputs side by side: what counts as one, and whose column is whose."""

import numpy as np
import pytest

from bakeoff.judge.paired import ln_throughput, pair_up
from bakeoff.model.samples import Block, Slice
from tests.judge.races import MS, Race, event


def piece(**changed: object) -> Slice:
    return Slice(
        entry="a", event=event(**changed), server_cpu=None, leak_ns=None, leak_wall_ns=None
    )


def test_throughput_is_answers_per_second_of_the_window() -> None:
    assert np.exp(ln_throughput(piece(requests=1000))) == pytest.approx(50_000)
    assert np.exp(ln_throughput(piece(requests=1, end_ns=1500 * MS))) == pytest.approx(2)


def test_a_window_without_an_answer_counts_as_half_a_one() -> None:
    assert np.exp(ln_throughput(piece(requests=0))) == pytest.approx(25)


def test_a_window_without_length_is_no_turn() -> None:
    assert np.isnan(ln_throughput(piece(end_ns=1000 * MS)))


def test_columns_are_by_name_and_missed_turns_are_gaps() -> None:
    race = Race({"b": 1.0, "a": 2.0, "c": 1.0}, boots=2, blocks=5, noise=0, out={1: {"c": "x"}})
    blocks = [record for record in race.records() if isinstance(record, Block)]
    found = pair_up(blocks, ("c", "b", "a"))
    assert found.names == ("a", "b", "c") and list(found.boot) == [0] * 5 + [1] * 5
    assert np.exp(found.log_ratio("a", "b")) == pytest.approx(2, rel=0.01)
    assert (found.blocks_of("a", "b"), found.blocks_of("c", "a")) == (10, 5)
    assert np.isnan(found.log_ratio("c", "b")[5:]).all()
    assert pair_up(blocks, ("a", "b")).names == ("a", "b"), "others are left out"
