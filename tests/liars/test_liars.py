"""Every liar is caught by name, and the honest server is left in peace."""

import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from bakeoff.model.verdict import Verdict
from tests.e2e.conftest import Place

pytestmark = pytest.mark.e2e
SERVERS = Path(__file__).parent / "servers"

# The finding that catches each: its code, and what its values must have in them; of one that is out
# before it is measured, the reason.
WRONG_ANSWERS = {
    "wrong_body": r"^wrong_answers .*body has 7 bytes, expected 13",
    "wrong_bytes": r"^wrong_answers .*body differs at byte 0",
    "fast_500": r"^wrong_answers .*status is 500, expected 200",
    "answers_twice": r"^answered_twice .*\d+ bytes that nobody asked for",
    "answers_early": r"^answers_early ",
    "frozen_date": r"^date_frozen ",
    "closes_after": r"^connections_closed ",
}
WRONG_PROCESSES = {
    "burns": r"^held_in_turns ",
    "escapes": r"^processes_escaped ",
    "moves": r"^port_closed ",
    "stubborn": r"^killed ",
    "restarts": r"^workers_restarted .*'began': [1-9]",
    "leaves_cores": r"^left_cores ",
    "two_writes": r"^nagle ",
}
WRONG_TIMES = {
    "stalls": r"^(stood_still|pauses_cost) ",
    "slower": r"^slower_while_measured ",
    "leaks": r"^memory_grew ",
}
SILENCES = {"half_chunk": r"^(few_)?unanswered .*'broken_off': True"}
SHORT_QUEUES = {"short_queue": r"^its listen queue has room for 1 and overflows "}
# Which liars race together, and how. They are families: what is caught in one place.
FAMILIES = {
    "wrong-answers": (WRONG_ANSWERS, ("-d", "8", "-c", "8")),
    "wrong-processes": (WRONG_PROCESSES, ("-d", "8", "-c", "8")),
    "wrong-times": (WRONG_TIMES, ("-d", "12", "-c", "4")),
    "silences": (SILENCES, ("-d", "7", "-c", "4")),
    "short-queues": (SHORT_QUEUES, ("-d", "3", "-c", "16", "--close")),
}
CAUGHT = {name: says for liars, _ in FAMILIES.values() for name, says in liars.items()}
# One of each family, in the time that `make test` has.
FEW = {
    "few": (("wrong_bytes", "escapes", "leaks"), ("-d", "5", "-c", "4")),
    "few-silences": (SILENCES, ("-d", "2", "-c", "4")),
    "few-queues": (SHORT_QUEUES, ("-d", "1", "-c", "16", "--close")),
}
Races = Mapping[str, tuple[Iterable[str], tuple[str, ...]]]


def raced(races: Races, folder: Path) -> dict[str, list[str]]:
    """What was found of each server; of the honest one, in all races together.

    The races run side by side: no finding here depends on how fast anybody was.
    """
    place = Place(folder / "all of them")
    shutil.copytree(SERVERS, place.path, ignore=shutil.ignore_patterns("__pycache__"))
    running = {}
    for race, (liars, options) in races.items():
        names = [f"./{name}.py" for name in ("honest", *liars)]
        out = ("--json", f"{race}.json", "--out", f"runs-{race}")
        words = (
            "race",
            *names,
            *options,
            *out,
            "--boots",
            "1",
            "--no-twin",
            "--warm-up",
            "1s",
            "--keep-going",
        )
        running[race] = place.begin(*words)
    findings: dict[str, list[str]] = {}
    for race, process in running.items():
        _, err = process.communicate(timeout=180)
        assert (place.path / f"{race}.json").exists(), err
        verdict = Verdict.read_json(place.path / f"{race}.json")
        for entry in verdict.entries:
            fairness = [each for each in verdict.fairness if entry.name in str(each.values)]
            findings.setdefault(Path(entry.name).stem, []).extend(
                f"{each.code} {each.values}"
                for each in (*fairness, *entry.reasons, *entry.warnings)
            )
        for each in verdict.skipped:
            findings.setdefault(Path(each.name).stem, []).append(each.reason)
    place.wait_until_nothing_is_left()
    return findings


def assert_liars_are_caught_and_the_honest_is_not(findings: dict[str, list[str]]) -> None:
    for liar in findings.keys() - {"honest"}:
        assert any(re.search(CAUGHT[liar], each) for each in findings[liar]), (liar, findings[liar])
        # Others have other tests beside them: a machine that is busy with those may stand still.
        assert not [each for each in findings["honest"] if re.search(CAUGHT[liar], each)], liar


@pytest.mark.first
def test_one_of_each_family_is_caught(tmp_path: Path) -> None:
    findings = raced(FEW, tmp_path)
    for liars, _ in FAMILIES.values():
        assert findings.keys() & liars.keys()
    assert_liars_are_caught_and_the_honest_is_not(findings)


@pytest.mark.slow
@pytest.mark.alone
def test_every_liar_is_caught(tmp_path: Path) -> None:
    findings = raced(FAMILIES, tmp_path)
    assert findings.keys() == {"honest", *CAUGHT} == {path.stem for path in SERVERS.glob("*.py")}
    assert_liars_are_caught_and_the_honest_is_not(findings)
