"""Every liar is caught by name, and the honest server is left in peace."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.model.verdict import Verdict
from tests.e2e.conftest import Place

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
SERVERS = Path(__file__).parent / "servers"

WRONG_ANSWERS = {
    "wrong_body": r"answers were wrong; the first: body has 7 bytes, expected 13",
    "wrong_bytes": r"answers were wrong; the first: body differs at byte 0",
    "fast_500": r"answers were wrong; the first: status is 500, expected 200",
    "answers_twice": r"it answered twice: \d+ bytes that nobody asked for",
    "answers_early": r"\./answers_early\.py answers before a request is complete",
    "frozen_date": r"the Date of \./frozen_date\.py does not move",
    "closes_after": r"it closed connections though keep-alive was asked: \d+ were opened anew",
}
WRONG_PROCESSES = {
    "burns": r"it used \d+\.\d% of the server's cores while others had their turn",
    "escapes": r"it started 2 processes that left its process group; bakeoff ended them",
    "moves": r"it no longer listens on port \d+, though its process lives",
    "stubborn": r"it did not end when asked to \(SIGTERM\) and was killed, in 1 of 1 boots",
    "restarts": r"working processes ended while it was measured and \d+ took over: it restarts",
    "leaves_cores": r"it left its cores: it was given core \d and let itself run on core",
    "two_writes": r"\./two_writes\.py shows the 40 ms of Nagle's algorithm",
}
WRONG_TIMES = {
    "stalls": r"it stood still( for about \d+ ms)?, in \d+ of its \d+ slices",
    "slower": r"it got slower while it was measured",
    "leaks": r"its memory grew by \d\.\d MiB a second while it was measured",
}
SILENCES = {"half_chunk": r"got no answer \(.*timeout\).*an answer stopped in the middle"}
SHORT_QUEUES = {"short_queue": r"its listen queue was full \(the kernel dropped \d+ connections"}
RACES = {
    "wrong-answers": (WRONG_ANSWERS, ("-d", "8", "-c", "8")),
    "wrong-processes": (WRONG_PROCESSES, ("-d", "8", "-c", "8")),
    "wrong-times": (WRONG_TIMES, ("-d", "12", "-c", "4")),
    "silences": (SILENCES, ("-d", "7", "-c", "4")),
    "short-queues": (SHORT_QUEUES, ("-d", "3", "-c", "16", "--close")),
}
CAUGHT = {name: says for liars, _ in RACES.values() for name, says in liars.items()}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[str]]]:
    """What the verdicts say of each server; of the honest one, those of all races together.

    The races run side by side: no sentence here depends on how fast anybody was.
    """
    place = Place(tmp_path_factory.mktemp("liars") / "all of them")
    shutil.copytree(SERVERS, place.path, ignore=shutil.ignore_patterns("__pycache__"))
    running = {}
    for race, (liars, options) in RACES.items():
        names = [f"./{name}.py" for name in ("honest", *liars)]
        out = ("--json", f"{race}.json", "--out", f"runs-{race}")
        words = ("race", *names, *options, *out, "--boots", "1", "--no-twin", "--warm-up", "1s")
        running[race] = place.begin(*words)
    found: dict[str, list[str]] = {"honest": []}
    for race, process in running.items():
        _, err = process.communicate(timeout=180)
        assert (place.path / f"{race}.json").exists(), err
        verdict = Verdict.read_json(place.path / f"{race}.json")
        for entry in verdict.entries:
            sentences = [each for each in verdict.fairness if entry.name in each]
            sentences += [*entry.reasons, *entry.warnings]
            found.setdefault(Path(entry.name).stem, []).extend(sentences)
    place.wait_until_nothing_is_left()
    yield found


@pytest.mark.parametrize("liar", CAUGHT)
def test_a_liar_is_caught_by_name(liar: str, said: dict[str, list[str]]) -> None:
    assert any(re.search(CAUGHT[liar], each) for each in said[liar]), said[liar]


def test_the_honest_server_is_accused_of_nothing(said: dict[str, list[str]]) -> None:
    for name, says in CAUGHT.items():
        of_honest = says.replace(rf"\./{name}\.py", r"\./honest\.py")
        assert not [each for each in said["honest"] if re.search(of_honest, each)], name


def test_every_server_here_is_raced() -> None:
    assert {path.stem for path in SERVERS.glob("*.py")} == {"honest", *CAUGHT}
