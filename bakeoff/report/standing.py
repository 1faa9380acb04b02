"""One row of the standings, written out: the terminal, Markdown and the page show the same."""

from dataclasses import dataclass
from string import ascii_letters

from bakeoff.model.verdict import NoiseFloor, Verdict, VerdictEntry
from bakeoff.report import figures, words
from bakeoff.report.figures import MISSING

RUN_LENGTH_MIN = 4


@dataclass(frozen=True)
class Standing:
    """The figures of one entry as text, each with its unit but `requests_per_s` and `n_blocks`."""

    name: str
    title: str
    rank: str
    letters: str
    ratio: str
    n_blocks: str
    requests_per_s: str
    p50: str
    p99: str
    server_cpu: str
    memory_loaded: str
    is_reference: bool
    is_twin: bool


def standing(verdict: Verdict, entry: VerdictEntry) -> Standing:
    """The row of `entry`."""
    latency = entry.latency_us
    return Standing(
        name=words.printable(entry.name),
        title=words.printable(entry.title),
        rank=figures.rank(entry.rank),
        letters=run_together(entry.letters),
        ratio=figures.ratio_times(entry.ratio, entry.low, entry.high),
        n_blocks=figures.count(entry.n),
        requests_per_s=figures.rate(entry.requests_per_s),
        p50=figures.duration(latency.p50 if latency else None),
        p99=figures.duration(latency.p99 if latency else None),
        server_cpu=figures.duration(entry.cpu_us_per_request.server),
        memory_loaded=figures.mib(entry.memory_mib.loaded),
        is_reference=entry.name == verdict.reference,
        is_twin=False,
    )


def run_together(letters: str) -> str:
    """`abcdeg` as `a–eg`: among thirty contenders one may share letters with a dozen."""
    if not letters.isalpha():
        return letters
    runs = [letters[0]]
    for letter in letters[1:]:
        if runs[-1][-1] + letter in ascii_letters:
            runs[-1] += letter
        else:
            runs.append(letter)
    return "".join(run if len(run) < RUN_LENGTH_MIN else f"{run[0]}–{run[-1]}" for run in runs)


def twin_standing(floor: NoiseFloor) -> Standing:
    """The twin's row: its ratio is the noise floor, its costs are the reference's."""
    return Standing(
        name=words.printable(floor.name),
        title="",
        rank="twin",
        letters="",
        ratio=figures.ratio_times(floor.ratio, floor.low, floor.high),
        n_blocks=figures.count(floor.n),
        requests_per_s=MISSING,
        p50=MISSING,
        p99=MISSING,
        server_cpu=MISSING,
        memory_loaded=MISSING,
        is_reference=False,
        is_twin=True,
    )


def standings_rows(verdict: Verdict) -> list[Standing]:
    """Those that stand in the race, fastest first, and the twin after them."""
    rows = [standing(verdict, entry) for entry in words.ranked(verdict)]
    return [*rows, twin_standing(verdict.noise_floor)] if verdict.noise_floor else rows
