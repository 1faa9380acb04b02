"""ab's arithmetic: the figures that it prints follow from the requests that its -g file lists."""

import re
from pathlib import Path
from statistics import stdev

import pytest

from tests.personality.programs import Program, ours, real, run
from tests.personality.server import Answer, Close, Pause, response, serving

SHARES = (50, 66, 75, 80, 90, 95, 98, 99)
ANSWERS: dict[str, Answer] = {
    "later and later": lambda asked: (Pause(0.012 * asked.total), response(), Close()),
    "one is slow": lambda asked: (Pause(0.08 * (asked.total == 3)), response(), Close()),
    "slow bodies": lambda asked: (response()[:-13], Pause(0.2), b"Hello, World!", Close()),
}


@pytest.mark.parametrize("which", [real, ours], ids=["real", "ours"])
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize(("n", "connections"), [(2, 1), (7, 1), (10, 2), (25, 5)])
def test_figures_follow_from_the_requests(
    which: object, answer: Answer, n: int, connections: int, tmp_path: Path
) -> None:
    program = which("ab")  # type: ignore[operator]
    with serving(answer) as server:
        words = f"-n {n} -c {connections} -g out.tsv -e out.csv 127.0.0.1:{server.port}/".split()
        ended = run(program, words, tmp_path)
    assert ended.status == 0
    connect_ms, processing_ms, total_ms, waiting_ms = columns(tmp_path / "out.tsv")
    assert total_ms == sorted(total_ms)
    for label, times_ms in {
        "Connect": connect_ms,
        "Processing": processing_ms,
        "Waiting": waiting_ms,
        "Total": total_ms,
    }.items():
        least, mean, deviation, median, most = row(ended.out, label)
        assert (least, most) == (min(times_ms), max(times_ms))
        assert mean == pytest.approx(sum(times_ms) / n, abs=1)
        assert deviation == pytest.approx(stdev(times_ms), abs=1)
        assert median == pytest.approx(upper_median(times_ms), abs=1)
    for share in SHARES:
        assert percentile(ended.out, share) == total_ms[n * share // 100]
    assert percentile(ended.out, 100) == total_ms[-1]
    assert served_within(tmp_path / "out.csv") == [
        total_ms[min(int(0.5 + n * share / 100), n - 1)] for share in ends_within(n)
    ]


def ends_within(n: int) -> list[int]:
    """The percentages for which ab doesn't read past the end of its list."""
    return [share for share in range(101) if int(0.5 + n * share / 100) < n]


def served_within(path: Path) -> list[int]:
    lines = path.read_text().split()[4:]
    shares = dict(line.split(",") for line in lines)
    assert list(shares) == [str(share) for share in range(101)]
    n = len((path.parent / "out.tsv").read_text().splitlines()) - 1
    return [int((float(shares[str(share)]) * 1000 + 500) // 1000) for share in ends_within(n)]


@pytest.mark.parametrize("which", [real, ours], ids=["real", "ours"])
def test_waiting_ends_with_the_first_byte(which: object, tmp_path: Path) -> None:
    program: Program = which("ab")  # type: ignore[operator]
    with serving(ANSWERS["slow bodies"]) as server:
        ended = run(program, ["-n", "5", "-g", "out.tsv", f"127.0.0.1:{server.port}/"], tmp_path)
    assert ended.status == 0
    _, processing_ms, _, waiting_ms = columns(tmp_path / "out.tsv")
    # On a busy machine the first byte may be seen late, but not by half of the pause.
    assert all(whole - first > 100 for whole, first in zip(processing_ms, waiting_ms, strict=True))


@pytest.mark.parametrize("which", [real, ours], ids=["real", "ours"])
def test_rates_follow_from_time_and_counts(which: object, tmp_path: Path) -> None:
    program: Program = which("ab")  # type: ignore[operator]
    with serving(ANSWERS["later and later"]) as server:
        ended = run(program, ["-n", "20", "-c", "4", f"127.0.0.1:{server.port}/"], tmp_path)
    taken_s = figure(ended.out, r"Time taken for tests: +([\d.]+) seconds")
    near = pytest.approx
    assert figure(ended.out, r"Requests per second: +([\d.]+) ") == near(20 / taken_s, rel=0.01)
    each, across = re.findall(r"Time per request: +([\d.]+) ", ended.out)
    assert float(each) == near(4 * taken_s * 1000 / 20, rel=0.01)
    assert float(across) == near(taken_s * 1000 / 20, rel=0.01)
    transferred = figure(ended.out, r"Total transferred: +(\d+) bytes")
    rate = figure(ended.out, r"Transfer rate: +([\d.]+) ")
    assert rate == near(transferred / 1024 / taken_s, rel=0.01)


def columns(path: Path) -> list[list[int]]:
    """ctime, dtime, ttime and wait of each request, in ms."""
    head, *lines = path.read_text().splitlines()
    assert head == "starttime\tseconds\tctime\tdtime\tttime\twait"
    rows = [[int(cell) for cell in line.split("\t")[2:]] for line in lines]
    return [list(column) for column in zip(*rows, strict=True)]


def row(text: str, label: str) -> tuple[float, ...]:
    found = re.search(rf"^{label}: +(\d+) +(\d+) +([\d.]+) +(\d+) +(\d+)$", text, re.MULTILINE)
    assert found, text
    return tuple(float(figure) for figure in found.groups())


def percentile(text: str, share: int) -> int:
    return int(figure(text, rf"(?m)^ +{share}% +(\d+)"))


def figure(text: str, pattern: str) -> float:
    found = re.search(pattern, text)
    assert found, text
    return float(found[1])


def upper_median(times_ms: list[int]) -> float:
    """ab's: one above the middle."""
    ordered = sorted(times_ms)
    half = len(ordered) // 2
    return (ordered[half] + ordered[half + 1]) / 2 if len(ordered) % 2 else ordered[half]
