"""What is said of a verdict."""

from typing import Any

import pytest

from bakeoff.model.finding import Finding
from bakeoff.model.findings.values import Value
from bakeoff.model.gate import Gate, GateResult
from bakeoff.model.pairs import NextRace
from bakeoff.model.plan import Cores
from bakeoff.model.ratio import Interval, ends
from bakeoff.model.verdict import LoaderFigures, Precision, Verdict
from bakeoff.report import document
from bakeoff.report.figures import MISSING
from bakeoff.report.kinds import race, race_method, race_tables, race_trust, shared, standings
from bakeoff.report.kinds.portraits import response_head
from bakeoff.report.kinds.race_headline import headline
from bakeoff.report.render import markdown
from bakeoff.report.sentences import joined, sentence
from tests.report import sample
from tests.report.documents import DOCUMENTS


def said(text: str) -> Finding:
    return Finding.of("text", text=text)


def only(verdict: Verdict, *names: str) -> Verdict:
    """The verdict as it would be had these alone been raced."""
    entries = tuple(entry for entry in verdict.entries if entry.name in names)
    pairs = tuple(pair for pair in verdict.pairs if {pair.a, pair.b} <= set(names))
    return verdict.model_copy(update={"entries": entries, "pairs": pairs})


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (
            "nginx go-nethttp",
            "nginx is faster than go-nethttp by 1.73× (1.70 to 1.76), and needs as much less CPU"
            " per request.",
        ),
        (
            "nginx libuv-http-parser",
            "Can't tell nginx from libuv-http-parser by throughput or server CPU: ratio 1.003"
            " (0.994 to 1.011), equivalent within ±2 %; a difference of 0.92 % would have been"
            " found in four of five such races.",
        ),
        (
            "nginx go-nethttp node-http gunicorn",
            "nginx is faster than go-nethttp by 1.73× (1.70 to 1.76), and needs as much less CPU"
            " per request. It leads gunicorn, the slowest of 4, by 24.3× (23.8 to 24.8).",
        ),
        (
            "go-nethttp aiohttp",
            "Only go-nethttp gave a valid result (48,116 requests/s, n = 161,671 answers):"
            " there is nothing to compare.",
        ),
        ("aiohttp", "No verdict: no contender gave a valid result."),
        (
            "nginx",
            "nginx raced alone (83,127 requests/s, n = 279,307 answers): there is nothing to"
            " compare.",
        ),
    ],
)
def test_the_headline_says_who_leads_by_how_much(names: str, said: str) -> None:
    assert headline(only(sample.verdict(), *names.split())) == said


def test_a_tie_that_is_not_shown_to_be_equivalent_doesnt_say_so() -> None:
    verdict = only(sample.verdict(), "nginx", "libuv-http-parser")
    pair = verdict.pairs[0].model_copy(update={"equivalent": False})
    assert "equivalent" not in headline(verdict.model_copy(update={"pairs": (pair,)}))


@pytest.mark.parametrize(
    ("mean", "says"),
    [
        (1.1, " In the mean, with all pauses, nginx is faster than libuv-http-parser by 1.10×"),
        (0.9, " In the mean, with all pauses, libuv-http-parser is faster than nginx by 1.11×"),
        (1.02, ""),
        (1.005, ""),
    ],
    ids=["faster", "slower", "within chance of none", "no other than the typical ratio"],
)
def test_the_headline_says_where_mean_speeds_rank_two_otherwise(mean: float, says: str) -> None:
    verdict = only(sample.verdict(), "nginx", "libuv-http-parser")
    ratio = Interval(ratio=mean, low=mean - 0.03, high=mean + 0.03, n=10, boots=1)
    pair = verdict.pairs[0].model_copy(update={"mean_ratio": ratio})
    text = headline(verdict.model_copy(update={"pairs": (pair,)}))
    assert text.partition("such races.")[2].partition(" (")[0] == says


def test_the_mean_stands_beside_the_ratio_where_it_is_another_one_or_pauses_were_found() -> None:
    verdict = only(sample.verdict(), "nginx", "go-nethttp")
    column = "in the mean (95 % interval)"
    assert column not in [each.head for each in standings.standings(verdict).columns]
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
        assert column in [each.head for each in table.columns]


def test_three_that_are_level_are_named_together() -> None:
    verdict = only(sample.verdict(), "nginx", "libuv-http-parser", "go-nethttp")
    level = tuple(pair.model_copy(update={"finding": "can't tell"}) for pair in verdict.pairs)
    text = headline(verdict.model_copy(update={"pairs": level}))
    assert text == (
        "Can't tell nginx, libuv-http-parser and go-nethttp apart;"
        " a difference of 2.3 % would have been found in four of five such races."
    )


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        ("faster", "nginx is faster than libuv-http-parser by more than 2 %: 1.003"),
        ("within", "nginx and libuv-http-parser don't differ by more than 2 %: ratio 1.003"),
        (
            "can't tell",
            "Can't tell whether nginx and libuv-http-parser differ by more than 2 %: ratio 1.003",
        ),
    ],
)
def test_with_a_margin_the_headline_is_about_the_margin(finding: str, said: str) -> None:
    verdict = only(sample.verdict(), "nginx", "libuv-http-parser")
    pair = verdict.pairs[0].model_copy(update={"finding": finding})
    text = headline(verdict.model_copy(update={"pairs": (pair,), "within": 0.02}))
    assert text.startswith(said)


def test_what_is_not_decided_says_how_much_more_time_would_tell() -> None:
    verdict = only(sample.verdict(), "nginx", "libuv-http-parser")

    def said(**changed: object) -> str:
        pair = verdict.pairs[0].model_copy(update={"equivalent": False, **changed})
        return headline(verdict.model_copy(update={"pairs": (pair,)}))

    assert said(more_s=41.3).endswith("; about 40 s of further measuring would tell.")
    assert said(more_s=1e9).endswith("; more than a day of further measuring would tell.")
    assert said(more_s=None).endswith("of five such races.")
    assert said(more_s=41.3, equivalent=True).endswith("of five such races."), "it is decided"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"decided": True}, "The race was decided in 90.0 s of measuring."),
        ({"decided": False}, "The race was not decided in 90.0 s of measuring."),
        ({"complete": False}, "The race ended after 90.0 s of measuring, before its time."),
        ({}, "90.0 s of measuring so far."),
    ],
)
def test_a_race_that_may_have_ended_at_any_time_says_so(
    changed: dict[str, object], said: str
) -> None:
    verdict = sample.verdict().model_copy(update={"measured_s": 90.0})
    assert race_trust.ending(verdict) == ""
    text = race_trust.ending(verdict.model_copy(update={"stopping": "any_time", **changed}))
    assert text.startswith(f"{said} Its intervals hold whenever a race ends")
    assert ("too far from 1" in text) == (changed.get("decided") is True)


@pytest.mark.parametrize(
    ("warnings", "why"),
    [
        ((), "its draws are too few for how much they differ"),
        ((Finding.of("few_boots", n=3),), "few_boots 3"),
    ],
)
def test_of_an_interval_that_helps_nobody_it_is_said_what_stands_in_the_way(
    warnings: tuple[Finding, ...], why: str
) -> None:
    verdict = only(sample.verdict(), "nginx", "libuv-http-parser")
    wide = verdict.pairs[0].model_copy(update={"minimum_detectable_effect": 15.92})
    text = headline(verdict.model_copy(update={"pairs": (wide,), "warnings": warnings}))
    assert f"; no difference under 20 % would have been found: {why}" in text
    assert "1,592" not in text


def test_a_real_but_small_gap_is_put_beside_the_margin() -> None:
    verdict = only(sample.verdict(), "nginx", "go-nethttp")
    pair = verdict.pairs[0].model_copy(
        update={"ratio": 1.005, "low": 1.002, "high": 1.008, "equivalent": True}
    )
    assert headline(verdict.model_copy(update={"pairs": (pair,)})) == (
        "nginx is faster than go-nethttp by 1.005× (1.002 to 1.008),"
        " less than the ±2 % taken as equivalent, and needs less CPU per request, by"
        " 1.73× (1.70 to 1.76)."
    )


def by_cpu(name: str, other: str, cpu_finding: str, finding: str, cause: Finding) -> Finding:
    whose: dict[str, Value] = {"name": name, "other": other}
    figures = {"ratio": 1.25, "low": 1.2, "high": 1.3}
    findings = {"finding": finding, "cpu_finding": cpu_finding}
    return Finding.of("cpu_differs", cause, **whose, **findings, **figures)


WAITED = Finding.of("server_waited", name="go-nethttp", server_busy=0.71)
SHOWN = (
    by_cpu("go-nethttp", "nginx", "faster", "slower", WAITED),
    by_cpu("nginx", "go-nethttp", "faster", "can't tell", WAITED),
    by_cpu("nginx", "go-nethttp", "can't tell", "faster", WAITED),
)


def test_where_the_verdict_by_cpu_is_another_one_a_sentence_says_so_and_why() -> None:
    verdict = sample.verdict().model_copy(update={"by_cpu": SHOWN[:1]})
    assert headline(verdict).endswith(f" C{joined(SHOWN[:1])[1:]}.")
    assert joined([WAITED]) in headline(verdict)
    invalid = verdict.model_copy(update={"valid": False})
    assert "server CPU" not in headline(invalid)


def test_of_many_such_pairs_the_first_is_told_and_how_many_more_there_are() -> None:
    verdict = sample.verdict().model_copy(update={"by_cpu": SHOWN})
    text = headline(verdict)
    assert text.endswith(f"{joined(SHOWN[:1])[1:]}. The two verdicts differ on 2 other pairs, too.")
    (told,) = (
        block
        for block in race.document(verdict).summary
        if isinstance(block, document.List) and block.title == "By server CPU"
    )
    assert len(told.items) == 3


def test_each_of_the_two_verdicts_has_its_letters() -> None:
    verdict = sample.verdict()
    table = standings.standings(verdict)
    heads = [column.head for column in table.columns]
    cell = dict(zip(heads, table.rows[2].cells, strict=True))
    go = next(entry for entry in verdict.entries if entry.name == cell["contender"])
    assert cell["rank"].endswith(f" {go.letters}")
    assert cell["server CPU per request"].endswith(f"µs {go.cpu_letters}")
    assert go.cpu_letters == "b"
    assert "by server CPU (95 % interval)" not in heads, "it says the same"
    differing = verdict.model_copy(update={"by_cpu": SHOWN[:1]})
    shown = standings.standings(differing)
    assert "by server CPU (95 % interval)" in [column.head for column in shown.columns]
    (row,) = (row for row in race.data(verdict) if row["name"] == go.name)
    assert (row["letters"], row["cpu_letters"]) == (go.letters, "b")


def test_an_invalid_verdict_names_no_winner() -> None:
    verdict = sample.verdict().model_copy(
        update={"valid": False, "warnings": (said("the generator was the limit"),)}
    )
    assert headline(verdict) == "No valid verdict. The generator was the limit."


def test_a_pair_turned_round_says_the_same() -> None:
    pair = sample.verdict().pair("gunicorn", "nginx")
    assert pair is not None
    assert (pair.a, pair.b, pair.finding) == ("gunicorn", "nginx", "slower")
    low, high = ends(pair.low, pair.high)
    assert low < pair.ratio < high < 1
    again = pair.turned()
    assert again.finding == "faster"
    assert again.ratio == pytest.approx(1 / pair.ratio)


def test_a_noise_floor_away_from_1_is_a_warning() -> None:
    verdict = sample.verdict()
    assert verdict.noise_floor is not None
    floor = verdict.noise_floor.model_copy(update={"ratio": 1.011, "low": 1.008, "high": 1.014})
    differs = Finding.of("twin_differs", name="nginx", ratio=1.011, low=1.008, high=1.014)
    changed = {"noise_floor": floor, "warnings": (differs,)}
    verdict = verdict.model_copy(update=changed)
    doubt = "a difference smaller than 1.4 % is in doubt"
    assert race_trust.noise_floor(verdict).endswith(f"Two copies of one program differ: {doubt}.")
    assert sentence(differs) in shared.warnings(verdict)


def test_without_a_twin_there_is_no_noise_floor() -> None:
    text = race_trust.noise_floor(sample.verdict().model_copy(update={"noise_floor": None}))
    assert text.startswith("No noise floor to hold ratios against: no twin was raced, ")


@pytest.mark.parametrize(
    ("cores", "text"),
    [
        (Cores(server=(0,), client=(1,)), "one server core 0, generator on core 1"),
        (Cores(server=(0, 1), client=(2, 3)), "servers on cores 0, 1, generator on cores 2, 3"),
        (Cores(server=(0,), client=(0,)), "one server core 0, generator on core 0 (shared)"),
        (Cores(server=(), client=()), "servers on any core, generator on any core"),
    ],
)
def test_cores_are_named(cores: Cores, text: str) -> None:
    assert ", ".join(shared.pinning(cores)) == text


def test_control_characters_from_outside_steer_no_terminal() -> None:
    assert document.printable("a\x1b[2Jb\nc\x00") == "a�[2Jb c�"


def test_too_few_blocks_are_no_fault_of_a_contender() -> None:
    found = only(sample.verdict(), "nginx", "go-nethttp")
    first, second = found.entries
    little = second.model_copy(update={"ratio": None, "low": None, "high": None})
    short = found.model_copy(update={"entries": (first, little), "pairs": ()})
    assert headline(short).startswith("Can't tell: too little was measured to compare.")
    assert standings.reasons(little) == "too few blocks for a ratio"


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


def test_in_an_open_loop_it_is_the_p99_that_is_ahead() -> None:
    open_loop = {"mode": "open", "ranked_by": "p99", "rate": 5000.0, "arrivals": "poisson"}
    verdict = only(sample.verdict(), "nginx", "go-nethttp").model_copy(update=open_loop)
    assert headline(verdict) == (
        "nginx answers sooner than go-nethttp, its p99 is shorter by 1.73× (1.70 to 1.76), and it"
        " needs less CPU per request, by 1.73× (1.70 to 1.76)."
    )
    assert race_method.loop(verdict) == "open loop with 5,000 requests/s to each (Poisson arrivals)"
    assert "closed loop" not in race_trust.latency_caution(verdict)
    share = verdict.model_copy(update={"rate": None, "load": 0.7})
    assert race_method.loop(share).startswith("open loop with 70.0 % of each one's own peak")


@pytest.mark.parametrize(
    ("reached", "says"),
    [
        ({"reached": 0.008, "met": True, "more_s": None}, "±0.80 % between neighbours after"),
        ({"reached": 0.02, "met": False, "more_s": 30.0}, "About 30.0 s more would probably"),
        ({"reached": None, "met": False, "more_s": None}, "no neighbours to tell apart"),
    ],
)
def test_the_precision_that_was_asked_for_is_answered(
    reached: dict[str, object], says: str
) -> None:
    found = Precision.model_validate({"asked": 0.01, **reached})
    assert says in race_trust.precision(sample.verdict().model_copy(update={"precision": found}))
    assert race_trust.precision(sample.verdict()) == ""


GATE = Gate(text="new >= 0.98 * old", left="new", sign=">=", factor=0.98, right="old")
FIGURES = {"ratio": 0.971, "low": 0.962, "high": 0.979, "n": 480}


def result(**changed: Any) -> GateResult:
    return GateResult.model_validate(
        {"gate": GATE, "outcome": "fails", "passes": False, "cant_tell": "pass", **changed}
    )


def solo(agrees: bool) -> Verdict:
    verdict = sample.verdict()
    alone = Interval(ratio=0.55, low=0.51, high=0.59, n=10, boots=10)
    entries = tuple(
        entry.model_copy(update={"solo": alone, "solo_agrees": agrees})
        if entry.name == "go-nethttp"
        else entry
        for entry in verdict.entries
    )
    return verdict.model_copy(update={"entries": entries})


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (
            result(**FIGURES),
            "new >= 0.98 * old: fails, the ratio is 0.971 (0.962 to 0.979), n = 480 blocks",
        ),
        (
            result(reasons=(said("old is not valid: it died"),)),
            "new >= 0.98 * old: fails, old is not valid: it died",
        ),
        (
            result(**FIGURES, outcome="can't tell", passes=True),
            "new >= 0.98 * old: can't tell, the ratio is 0.971 (0.962 to 0.979), n = 480 blocks;"
            " it passes by --cant-tell pass",
        ),
        (
            result(outcome="can't tell", cant_tell="fail", reasons=(said("too few blocks"),)),
            "new >= 0.98 * old: can't tell, too few blocks; it fails by --cant-tell fail",
        ),
        (
            result(**FIGURES, by="requests_per_cpu_s"),
            "new >= 0.98 * old, by server CPU: fails, the ratio is 0.971 (0.962 to 0.979), n = 480"
            " blocks",
        ),
        (
            result(
                **FIGURES,
                by="requests_per_cpu_s",
                outcome="doesn't decide",
                passes=True,
                reasons=(
                    Finding.of(
                        "calls_differ", name="new", other="old", ratio=1.2, low=1.1, high=1.3
                    ),
                ),
            ),
            "new >= 0.98 * old, by server CPU: doesn't decide, the ratio is 0.971 (0.962 to 0.979),"
            " n = 480 blocks; calls_differ new 1.2 1.1 1.3 old",
        ),
    ],
)
def test_a_gate_says_what_became_of_it_and_why(found: GateResult, says: str) -> None:
    assert shared.gate(found, "requests_per_s").text == says


def test_of_a_race_ranked_by_p99_a_gate_says_so() -> None:
    assert (
        "by p99, where more is better, the ratio is" in shared.gate(result(**FIGURES), "p99").text
    )


@pytest.mark.parametrize(("agrees", "says"), [(True, "agrees"), (False, "does not agree")])
def test_the_solo_figure_stands_beside_the_race(agrees: bool, says: str) -> None:
    verdict = solo(agrees)
    assert race_trust.confirmation(verdict) == (
        "With one contender up at a time, against nginx: go-nethttp 0.550× (0.510 to 0.590),"
        f" n = 10 rounds, {says}."
    )
    table = race_tables.long_slices(verdict)
    (row,) = [row.cells for row in table.rows if row.cells[0] == "go-nethttp"]
    assert row[-3:] == ("0.550× (0.510 to 0.590)", "10", "yes" if agrees else "no")
    assert len(race_tables.long_slices(sample.verdict()).columns) == len(table.columns) - 3


def test_a_document_has_the_gates_and_the_confirmation() -> None:
    verdict = solo(False).model_copy(update={"gates": (result(**FIGURES),)})
    text = markdown(race.document(verdict))
    assert "## Gates\n\n- ✗ new \\>= 0.98 \\* old: fails, the ratio is 0.971" in text
    assert "Confirmation: With one contender up at a time" in text
    plain = markdown(race.document(sample.verdict()))
    assert "Gates" not in plain and "Confirmation" not in plain


def test_the_details_say_what_was_run() -> None:
    document = DOCUMENTS["race"]()
    text = f"{document.summary} {document.detail}"
    assert "bakeoff race nginx libuv-http-parser --seed 7" in text
    assert "5f" * 32 in text
    assert "gcc (Debian 12.2.0-14) 12.2.0" in text
    assert "HTTP/1.1 200 OK\\nServer: node-http" in text
    assert "needs erl: apt-get install erlang-base" in text


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
    assert document.headline.endswith("The run ended early: this is what its first 37 blocks say.")
    assert document.alarm == "This verdict is not valid. The run ended before it was complete."
    assert document.tone == "bad"


def test_a_verdict_of_an_earlier_version_has_no_table_of_work() -> None:
    verdict = sample.verdict()
    entries = tuple(entry.model_copy(update={"work": None}) for entry in verdict.entries)
    document = race.document(verdict.model_copy(update={"entries": entries, "fairness": ()}))
    text = markdown(document)
    assert "What each contender does" not in text and "Unequal work" not in text
    assert document.data[0]["threads"] is None


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
    one = only(sample.verdict(), "nginx", "go-nethttp")
    assert race_trust.next_race(one) == "", "without a history"
    few = one.model_copy(update={"earlier_races": 3})
    assert race_trust.next_race(few) == (
        "The interval holds for this hour of this machine. A prediction for another day takes 4"
        " earlier races of the same builds, of this pair or of others in this setting; the history"
        " has 3 races in this setting."
    )
    expected = NextRace(ratio=1.7, low=1.61, high=1.79, basis="pair", races=7)
    known = one.model_copy(
        update={
            "earlier_races": 7,
            "pairs": (one.pairs[0].model_copy(update={"next_race": expected}),),
        }
    )
    assert race_trust.next_race(known) == (
        "The interval holds for this hour of this machine: a race of the same length on another day"
        " is expected to give nginx / go-nethttp 1.61 to 1.79 (95 %, from 7 earlier races of the"
        " pair)."
    )
    assert standings.pairs(known).columns[-1].head == "next race (95 %)"
    assert standings.pairs(known).rows[0].cells[-1] == "1.61 to 1.79"
    assert len(standings.pairs(few).columns) == len(standings.pairs(known).columns) - 1
    assert "Next race: The interval holds" in markdown(race.document(known))
