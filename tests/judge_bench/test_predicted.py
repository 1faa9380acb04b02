"""What a history predicts of its own races."""

from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from statistics import median

from tests.judge_bench import predicted, recorded


def test_each_half_of_a_programs_races_predicts_the_other() -> None:
    found = [recorded.judged(each) for each in islice(recorded.races(), 3)]
    with ThreadPoolExecutor(1) as workers:
        outcomes = predicted.predicted(found, workers)
    assert len(outcomes) == len(found)
    simulated = median(each.half_width or 0.0 for each in outcomes)
    assert 0.3 < simulated / median(each.half_width for each in found) < 3
