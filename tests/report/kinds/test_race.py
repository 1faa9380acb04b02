"""The document of a race. Its sentences are in `tests/report/words.py`."""

import pytest

from bakeoff.model.finding import Finding
from bakeoff.model.pairs import NextRace
from bakeoff.model.ratio import Interval
from bakeoff.model.verdict import LoaderFigures, Verdict
from bakeoff.report import document
from bakeoff.report.figures import MISSING
from bakeoff.report.kinds import race, race_tables, race_trust, shared, standings
from bakeoff.report.kinds.race_headline import headline, measured
from bakeoff.report.kinds.race_method import facts, method, response_head
from bakeoff.report.render import markdown
from bakeoff.report.sentences import joined
from tests.report import sample
from tests.report.words import FIGURES, SHOWN, gate, said, solo, two


def heads(table: document.Table) -> list[str]:
    return [column.head for column in table.columns]


def test_what_was_not_wanted_is_not_spoken_of() -> None:
    plain = sample.verdict()
    for said_of in (race_trust.ending, race_trust.precision):
        assert said_of(plain) == ""


def test_an_invalid_verdict_names_no_winner() -> None:
    invalid = two(valid=False, warnings=(said("so"),), by_cpu=SHOWN)
    assert "nginx" not in headline(invalid)


def test_the_distance_of_the_cores_is_said_where_it_was_measured() -> None:
    said_of = "85 ns from core to core and back"
    for verdict, known in ((two(pair={"core_trip_ns": 84.6}), True), (two(), False)):
        assert (said_of in facts(verdict)) is known
        assert (said_of in str(method(verdict)["pinning"])) is known


def test_the_mean_stands_beside_the_ratio_where_it_is_another_one_or_pauses_were_found() -> None:
    verdict = two()
    column = "in the mean (95 % interval)"
    assert column not in heads(standings.standings(verdict))
    far = Interval(ratio=0.5, low=0.48, high=0.52, n=10, boots=1)
    share = {"share": 0.1, "share_low": 0.0, "share_high": 0.2}
    none = dict.fromkeys(("ratio", "low", "high"))
    cost = Finding.of("pauses_cost", reference="nginx", **share, **none)
    for changed in ({"mean_ratio": far}, {"warnings": (cost,)}):
        entries = [
            each.model_copy(update=changed) if each.name == "go-nethttp" else each
            for each in verdict.entries
        ]
        table = standings.standings(verdict.model_copy(update={"entries": tuple(entries)}))
        assert column in heads(table)


def test_of_many_pairs_with_another_verdict_by_cpu_the_headline_tells_the_first() -> None:
    verdict = sample.verdict().model_copy(update={"by_cpu": SHOWN})
    told = [joined([found])[1:] in headline(verdict) for found in SHOWN]
    assert told == [True, False, False]
    summary = race.document(verdict).summary
    (shown,) = (each for each in summary if getattr(each, "title", "") == "By server CPU")
    assert isinstance(shown, document.List) and len(shown.items) == 3


def test_what_is_counted_has_its_name() -> None:
    verdict = sample.verdict()
    for unit, other in (("request", "message"), ("message", "request")):
        counted = verdict.model_copy(update={"unit": unit})
        columns = heads(standings.standings(counted))
        assert {f"{unit}s/s", f"server CPU per {unit}"} <= set(columns)
        assert not any(other in column for column in columns)
        assert measured(counted.entries[0], counted.unit).split(", ")[0].endswith(f" {unit}s/s")


def test_each_of_the_two_verdicts_has_its_letters() -> None:
    verdict = sample.verdict()
    table = standings.standings(verdict)
    cell = dict(zip(heads(table), table.rows[2].cells, strict=True))
    go = next(entry for entry in verdict.entries if entry.name == cell["contender"])
    assert cell["rank"].endswith(f" {go.letters}")
    assert cell["server CPU per request"].endswith(f"µs {go.cpu_letters}")
    assert go.cpu_letters == "b"
    assert "by server CPU (95 % interval)" not in heads(table), "it says the same"
    differing = verdict.model_copy(update={"by_cpu": SHOWN[:1]})
    assert "by server CPU (95 % interval)" in heads(standings.standings(differing))
    (row,) = (row for row in race.data(verdict) if row["name"] == go.name)
    assert (row["letters"], row["cpu_letters"]) == (go.letters, "b")


def test_a_pair_turned_round_says_the_same() -> None:
    pair = sample.verdict().pair("gunicorn", "nginx")
    assert pair is not None
    assert (pair.a, pair.b, pair.finding) == ("gunicorn", "nginx", "slower")
    low, high = pair.ratio.ends
    assert low < pair.ratio.ratio < high < 1
    again = pair.turned()
    assert again.finding == "faster"
    assert again.ratio.ratio == pytest.approx(1 / pair.ratio.ratio)


def test_control_characters_from_outside_steer_no_terminal() -> None:
    assert document.printable("a\x1b[2Jb\nc\x00") == "a�[2Jb c�"


def test_a_warning_of_several_is_said_once_and_names_them() -> None:
    verdict = sample.verdict()
    first, second, *others = (e.model_copy(update={"warnings": ()}) for e in verdict.entries)
    entries = tuple(
        entry.model_copy(update={"warnings": tuple(map(said, ("it has never been steady", *more)))})
        for entry, more in ((first, ()), (second, ("it leaks",)))
    )
    alike = verdict.model_copy(
        update={"entries": (*entries, *others), "warnings": (said("of all"),)}
    )
    assert shared.warnings(alike) == [
        "of all",
        f"{first.name} and {second.name}, each: it has never been steady",
        f"{second.name}: it leaks",
    ]


@pytest.mark.parametrize("agrees", [True, False])
def test_the_solo_figure_stands_beside_the_race(agrees: bool) -> None:
    table = race_tables.long_slices(solo(agrees))
    (row,) = [row.cells for row in table.rows if row.cells[0] == "go-nethttp"]
    assert row[-3:] == ("0.550× (0.510 to 0.590)", "10", "yes" if agrees else "no")
    assert len(race_tables.long_slices(sample.verdict()).columns) == len(table.columns) - 3


def test_a_document_has_the_gates_and_the_confirmation() -> None:
    verdict = solo(False).model_copy(update={"gates": (gate(**FIGURES),)})
    text = markdown(race.document(verdict))
    assert "## Gates\n\n- ✗ new" in text and "Confirmation:" in text
    plain = markdown(race.document(sample.verdict()))
    assert "Gates" not in plain and "Confirmation" not in plain


def test_a_race_without_a_valid_contender_has_no_standings_and_its_reasons() -> None:
    verdict = sample.verdict()
    entries = tuple(entry for entry in verdict.entries if not entry.valid)
    nothing = {"entries": entries, "pairs": (), "noise_floor": None}
    text = markdown(race.document(verdict.model_copy(update=nothing)))
    assert "~~aiohttp~~: wrong\\_answers 120 37197" in text
    assert "Standings" not in text


def test_an_invalid_or_unfinished_verdict_is_said_at_the_top() -> None:
    changed = {"valid": False, "complete": False, "blocks": 37}
    document = race.document(sample.verdict().model_copy(update=changed))
    assert "37 blocks" in document.headline
    assert document.alarm and document.tone == "bad"


def test_a_verdict_of_an_earlier_version_has_no_table_of_work() -> None:
    verdict = sample.verdict()
    entries = tuple(entry.model_copy(update={"work": None}) for entry in verdict.entries)
    document = race.document(verdict.model_copy(update={"entries": entries, "fairness": ()}))
    text = markdown(document)
    assert "What each contender does" not in text and "Unequal work" not in text
    assert document.data[0]["work_crew_threads"] is None


def test_one_boot_has_no_spread_and_a_boot_that_is_missing_has_no_figure() -> None:
    verdict = sample.verdict()
    first, *others = (e for e in verdict.entries if e.boots and e.boot_sd)
    cut = first.model_copy(update={"boots": first.boots[1:], "warm_up": first.warm_up[1:]})
    missing = verdict.model_copy(update={"entries": (cut, *others)})
    assert race_tables.boot_ratios(missing).rows[0].cells[1] == MISSING
    assert race_tables.warm_up(missing).rows[0].cells[1] == MISSING
    single = tuple(entry.model_copy(update={"boot_sd": None}) for entry in others)
    assert not race_tables.boot_ratios(verdict.model_copy(update={"entries": single})).rows


@pytest.mark.parametrize(
    ("letters", "shown"),
    [
        ("", ""),
        ("abc", "abc"),
        ("abcd", "a–d"),
        ("acdefg", "ac–g"),
        ("wxyzAB", "w–B"),
        ("abcdA1", "abcdA1"),
    ],
)
def test_letters_in_a_row_are_run_together(letters: str, shown: str) -> None:
    assert standings.run_together(letters) == shown


def test_the_head_of_an_answer_is_shown_as_it_was_sent() -> None:
    assert response_head("SFRUUC8xLjEgMjAwIE9LDQpYOiDkDQoNCmJvZHk=") == "HTTP/1.1 200 OK\nX: ä"
    assert response_head("not base64!") == response_head("") == ""


def test_several_load_generators_have_a_table_and_one_has_none() -> None:
    verdict = sample.verdict()
    assert race_tables.loaders(verdict).rows == ()
    one = LoaderFigures(
        name="load-1",
        connections=32,
        slices=400,
        requests_per_s=40_000,
        share=0.5,
        ceiling_per_s=80_000,
        busy=0.5,
        cpu_us_per_request=12.5,
        p50_us=800,
        p99_us=1500,
        misses=0,
        late_us=120,
        clock_error_us=40,
        stolen=None,
    )
    several = verdict.model_copy(update={"loaders": (one,)})
    (row,) = race_tables.loaders(several).rows
    assert row.cells[:6] == ("load-1", "32", "50.0 %", "50.0 %", "80,000", "12.5 µs")
    assert row.cells[-1] == MISSING


def test_the_interval_is_of_this_hour_and_the_next_race_of_another_day() -> None:
    few = two(earlier_races=3)
    expected = NextRace(ratio=1.7, low=1.61, high=1.79, basis="pair", n=7)
    known = two(pair={"next_race": expected}, earlier_races=7)
    assert standings.pairs(known).columns[-1].head == "next race (95 %)"
    assert standings.pairs(known).rows[0].cells[-1] == "1.61 to 1.79"
    assert len(standings.pairs(few).columns) == len(standings.pairs(known).columns) - 1
    assert "Next race: " in markdown(race.document(known))
    holds = "The interval holds for this hour of this machine"
    assert [race_trust.next_race(each).partition(":")[0] for each in (known, two())] == [holds] * 2


def test_too_few_blocks_are_no_fault_of_a_contender() -> None:
    little = two().entries[1].model_copy(update={"ratio": None})
    assert "few blocks" in standings.reasons(little, "request")


def test_first_bytes_are_shown_where_one_came_before_its_end() -> None:
    plain = sample.verdict()
    columns = {"first byte p50", "by first byte (95 % interval)"}

    def shown(verdict: Verdict) -> set[str]:
        tables = (standings.standings(verdict), standings.pairs(verdict))
        return columns & {head for table in tables for head in heads(table)}

    assert not shown(plain) and not race_tables.first_bytes(plain).rows
    ratio = Interval(ratio=2, low=1.9, high=2.1, n=10)
    first, *others = plain.entries
    assert first.latency_us
    early = first.latency_us.model_copy(update={"p50": 7.0})
    verdict = plain.model_copy(
        update={
            "entries": (first.model_copy(update={"first_byte_us": early}), *others),
            "pairs": tuple(
                each.model_copy(update={"first_byte_ratio": ratio}) for each in plain.pairs
            ),
        }
    )
    assert shown(verdict) == columns
    rows = {row.cells[0]: row.cells for row in race_tables.first_bytes(verdict).rows}
    at = heads(race_tables.first_bytes(verdict)).index("p50")
    assert rows[first.name][at] == "7.00 µs"
    latencies = {row.cells[0]: row.cells for row in race_tables.latency(plain, "").rows}
    in_one_piece = others[0].name
    assert rows[in_one_piece][2:] == latencies[in_one_piece][1:-1], "its end is its first byte"
