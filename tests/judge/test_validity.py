"""Each reason and each warning, from the smallest race that has it."""

import pytest

from bakeoff.model.audit import Conduct
from bakeoff.model.engine import BadExchange
from bakeoff.model.entry import VerdictEntry
from bakeoff.model.finding import Finding
from bakeoff.model.findings.values import Value
from bakeoff.model.plan import Cores
from bakeoff.model.protocol import Agreed
from bakeoff.model.readings import Memory, NetworkSeen, NetworkUse
from bakeoff.model.receipt import Stopped
from bakeoff.model.verdict import Verdict
from tests.judge import races
from tests.judge.facts import NO_TROUBLE, TROUBLE
from tests.judge.races import BAD, Race, codes, row, says
from tests.ratios import known

TWICE = BadExchange(
    kind="malformed",
    detail="147 bytes that nobody asked for, after the answer",
    request_base64="",
    response_base64="",
)
HALF = BadExchange(
    kind="timeout",
    detail="no complete answer within 5000 ms",
    request_base64="",
    response_base64="SFRUUA==",
)
LACKING = BadExchange(
    kind="chain",
    detail="take.token: json /token is not in the answer to POST /login",
    request_base64="",
    response_base64="",
)
SOUND = NetworkUse(bytes_in=10, bytes_out=10, segments_out=10_000, retransmits=0)
LOSSY = NetworkSeen(server=SOUND, load=SOUND.model_copy(update={"retransmits": 20}))
TWO_BOOTS = Finding.of("few_boots", n=2)


def judged(**changed: object) -> tuple[Verdict, VerdictEntry]:
    """The verdict on a race of a and b, and its entry b, which `changed` is mostly about."""
    race = Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6)
    for key, value in changed.items():
        setattr(race, key, value)
    verdict = races.judged(race)
    return verdict, row(verdict, "b")


def test_a_sound_race_has_nothing_to_say() -> None:
    verdict, b = judged()
    assert verdict.valid and b.valid and not (b.warnings or b.reasons)
    assert verdict.warnings == (TWO_BOOTS,)


REFUSED = {"requests": 0, "requests_all": 0, "errors": {"connect_refused": 8}, "latency_count": 0}


def conducts(**what: object) -> dict[str, object]:
    return {"conducts": {"a": Conduct(), "b": Conduct.model_validate(what)}}


def ended(b: str, a: str = "SIGTERM", survivors: tuple[int, ...] = ()) -> dict[str, object]:
    of_b = Stopped.model_validate({"name": "b", "how": b, "survivors": survivors})
    return {"stopped": (of_b, Stopped.model_validate({"name": "a", "how": a}))}


def held(warmed_mib: float, loaded_mib: float, lasted_s: float) -> dict[str, object]:
    return {
        "warmed": {"b": Memory(pss_mib=warmed_mib, processes=1)},
        "loaded": {"b": Memory(pss_mib=loaded_mib, processes=1)},
        "lasted_s": lasted_s,
    }


def failing(**errors: int) -> dict[str, object]:
    return {"events": {"b": {"errors": errors}}}


@pytest.mark.parametrize(
    ("changed", "code", "values"),
    [
        (
            {"events": {"b": {"errors": {"mismatch_body": 2, "status": 1}, "first_bad": BAD}}},
            "wrong_answers",
            {"wrong": 36, "first_bad": "body differs at byte 7"},
        ),
        (
            failing(timeout=200, connect_refused=9),
            "unanswered",
            {"kinds": ["connect_refused", "timeout"], "counts": [108, 2400], "broken_off": False},
        ),
        (
            {"events": {"b": {"errors": {"malformed": 1}, "first_bad": TWICE}}},
            "answered_twice",
            {"detail": "147 bytes that nobody asked for, after the answer"},
        ),
        (
            {"events": {"b": {"errors": {"chain": 1}, "first_bad": LACKING}}},
            "not_taken",
            {"n": 12, "detail": "take.token: json /token is not in the answer to POST /login"},
        ),
        (
            {"events": {"b": {"errors": {"timeout": 50}, "first_bad": HALF}}},
            "unanswered",
            {"missing": 600, "broken_off": True, "limit_share": 0.001},
        ),
        ({"open": {"b": 60}}, "few_connections", {"opened": 60, "connections": 64}),
        ({"died": {"b": "signal 11"}}, "died", {"how": "signal 11"}),
        ({"events": {"b": {"requests": 0, "requests_all": 0}}}, "no_answers", {}),
        ({"end": conducts(strayed=(1, 3, 2))}, "left_cores", {"cpus": [0], "strayed": [1, 2, 3]}),
    ],
)
def test_reasons(changed: dict[str, object], code: str, values: dict[str, Value]) -> None:
    verdict, b = judged(**changed)
    assert not b.valid and not verdict.valid
    assert says(b.reasons, code, **values), b.reasons
    assert (b.ratio, b.rank, b.letters) == (None, None, "")


@pytest.mark.parametrize(
    ("changed", "code", "values"),
    [
        ({"events": {"b": {"busy": 0.97}}, "busy": {"b": 0.4}}, "generator_limit", {}),
        ({"events": {"b": {"in_flight_ns": 1_200_000_000}}}, "generator_slow", {"in_flight": 60}),
        ({"pipeline": 16}, "generator_slow", {"in_flight": 64, "pipeline": 16}),
        ({"upstream": {"b": 0.95}, "busy": {"b": 0.5}}, "upstream_limit", {"server_busy": 0.5}),
        # It shares its core with the generator, which is busy for the other half.
        ({"upstream": {"b": 0.45}, "busy": {"b": 0.5}}, "upstream_limit", {}),
    ],
)
def test_what_the_generator_limited_is_a_bound(
    changed: dict[str, object], code: str, values: dict[str, Value]
) -> None:
    verdict, b = judged(**changed)
    assert b.valid and verdict.valid and not b.reasons
    assert says(b.at_least, code, **values), b.at_least
    assert known(b.ratio).high is None
    assert not says(b.warnings, "generator_near_limit")


@pytest.mark.parametrize(
    "changed",
    [
        {"upstream": {"b": 0.95}, "busy": {"b": 0.95}},
        {"upstream": {"b": 0.3}, "busy": {"b": 0.5}},
        {"upstream": {"b": 0.45}, "busy": {"b": 0.5}, "upstream_cpus": (2,)},
    ],
    ids=["the server was busy too", "it had time left", "it has a core of its own"],
)
def test_an_upstream_with_time_left_is_no_limit(changed: dict[str, object]) -> None:
    _, b = judged(**changed)
    assert not says(b.at_least, "upstream_limit")


@pytest.mark.parametrize(
    ("changed", "code", "values"),
    [
        ({"leak": {"b": 0.05}}, "cpu_leak", {"share": 0.05}),
        ({"events": {"b": {"connects": 500}}}, "connections_closed", {"reopened": 6000}),
        (
            {"events": {"b": {"connects": 3, "idle_closed": 3}}},
            "idle_connections_closed",
            {"closed": 36},
        ),
        (failing(reset=1), "few_unanswered", {"missing": 12, "attempts": 321_110}),
        ({"busy": {"b": 0.5}}, "limit_unknown", {"client_busy": 0.5}),
        ({"unsteady": ("b",)}, "unsteady_warm_up", {"n": 2, "boots": 2}),
        ({"verified": {"b": {"warnings": ("no Date",)}}}, "verification", {"text": "no Date"}),
        ({"cpu_seen": False, "events": {"b": {"busy": 0.97}}}, "server_unseen", {}),
        ({"events": {"b": {"busy": 0.92}}, "busy": {"b": 0.87}}, "generator_near_limit", {}),
        ({"end": conducts(escaped=3)}, "processes_escaped", {"processes": 3}),
        ({"end": conducts(ended=1)}, "workers_restarted", {"ended": 2, "began": 0}),
        ({"end": conducts(ended=2, began=1)}, "workers_restarted", {"ended": 4, "began": 2}),
        ({"end": ended("SIGKILL", "SIGTERM")}, "killed", {"n": 2, "boots": 2}),
        ({"end": ended("SIGKILL", survivors=(7, 9))}, "outlived_sigkill", {"pids": [7, 9]}),
        (
            {"end": held(10, 20, 10.0)},
            "memory_grew",
            {"mib_per_s": 1, "mib_before": 10, "mib_after": 20},
        ),
    ],
)
def test_warnings_on_an_entry(
    changed: dict[str, object], code: str, values: dict[str, Value]
) -> None:
    _, b = judged(**changed)
    assert b.valid, b.reasons
    assert says(b.warnings, code, **values), b.warnings


@pytest.mark.parametrize(
    ("changed", "code", "values"),
    [
        ({"cores": Cores(server=(0,), client=(0,))}, "cores_shared", {}),
        ({"end": {"tcp": TROUBLE}}, "listen_queue_full", {"overflows": 14}),
        ({"end": {"tcp": TROUBLE}}, "tracking_full", {"dropped_packets": 20}),
        ({"end": {"network": LOSSY}}, "segments_resent", {"sides": ["load"], "shares": [0.002]}),
        ({"steal_s": 0.05}, "host_steal", {}),
        ({"cpu_source": {"b": "tree"}}, "cpu_sources_differ", {"sources": ["cgroup-v2", "tree"]}),
        ({"workers": 2}, "workers_crowded", {"workers": 2, "cores": 1}),
        ({"boots": 1, "blocks": 12}, "one_boot", {}),
        ({"boots": 4}, "few_boots", {"n": 4}),
    ],
)
def test_warnings_on_the_race(
    changed: dict[str, object], code: str, values: dict[str, Value]
) -> None:
    verdict, _ = judged(**changed)
    assert says(verdict.warnings, code, **values), verdict.warnings


def warmed(**changed: object) -> tuple[Verdict, VerdictEntry]:
    """The verdict on a race whose warm-ups are `changed`, and its entry b."""
    race = Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6)
    records = [
        record.model_copy(update=changed) if record.type == "warmup" else record
        for record in race.records()
    ]
    verdict = races.judged(race, records)
    return verdict, row(verdict, "b")


LONG = {"a": (1e6,) * 12, "b": (2e6,) * 12 + (1e6,) * 12}
SLOWDOWN = {"courses": {"a": "flat", "b": "slowdown"}, "steady_from": {"a": 0, "b": 12}}
UNSTEADY = {"courses": {"a": "flat", "b": "unsteady"}, "steady": {"a": True, "b": False}}


def test_a_slowdown_during_warm_up_is_a_warning_with_its_figures() -> None:
    verdict, b = warmed(requests_per_s=LONG, **SLOWDOWN)
    figures = {"boot": 0, "peak_per_s": 2e6, "now_per_s": 1e6}
    assert b.valid and b.warnings == (Finding.of("slower_in_warm_up", n=2, boots=2, **figures),)
    assert [(each.boot, each.course, each.lasted_s) for each in b.warm_up] == [
        (0, "slowdown", 6.0),
        (1, "slowdown", 6.0),
    ]
    assert b.warm_up[0].requests_per_s == 1e6
    assert verdict.warnings == (TWO_BOOTS,)


def test_one_that_was_as_fast_again_once_it_was_measured_met_bad_weather() -> None:
    _, b = warmed(requests_per_s={"a": (1e6,) * 12, "b": (1e6,) * 12 + (5e5,) * 12}, **SLOWDOWN)
    assert not b.warnings and b.warm_up[0].course == "slowdown"


def test_a_warm_up_that_the_race_had_no_time_for_is_told_once_and_of_no_entry() -> None:
    verdict, b = warmed(requests_per_s={"a": (1000.0,) * 4, "b": (1000.0,) * 4}, **UNSTEADY)
    assert not b.warnings
    assert verdict.warnings == (TWO_BOOTS, Finding.of("warm_up_short", longest_s=1.0))


def test_one_that_had_its_time_and_did_not_settle_is_warned_of() -> None:
    _, b = warmed(requests_per_s=LONG, **UNSTEADY)
    assert b.warnings == (Finding.of("unsteady_warm_up", n=2, boots=2),)


def test_a_pipeline_has_its_depth_on_every_connection_in_flight() -> None:
    full = {"in_flight_ns": 16 * 64 * 20_000_000}
    _, b = judged(pipeline=16, events={"b": full})
    assert b.valid, b.reasons


def test_streams_count_as_places_as_far_as_the_server_admits_them() -> None:
    over = {"protocol": "h2", "streams": 100}
    full = {"b": {"in_flight_ns": 10 * 64 * 20_000_000}}
    _, b = judged(**over, events=full)
    assert says(b.at_least, "generator_slow", in_flight=640, pipeline=100)
    _, b = judged(**over, events=full, agreed={"b": Agreed(max_concurrent_streams=10)})
    assert not says(b.at_least, "generator_slow")


def test_fewer_boots_than_planned() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=2, blocks=12)
    records = race.records()
    race.boots = 3
    verdict = races.judged(race, records, complete=False)
    assert verdict.warnings[:2] == (
        Finding.of("cut_short", time_was_up=False),
        Finding.of("boots_missing", n=2, planned=3),
    )


@pytest.mark.parametrize(
    ("server", "client", "limit"),
    [(0.98, 0.5, "server"), (0.98, 0.95, "both"), (0.4, 0.5, "unknown"), (0.4, 0.95, "client")],
)
def test_limited_by(server: float, client: float, limit: str) -> None:
    _, b = judged(busy={"b": server}, events={"b": {"busy": client}})
    assert b.limited_by == limit


THREE = Cores(server=(0,), client=(1, 2, 3))
ONE_FULL = {"busy": 0.35, "busy_threads": (0.04, 0.97, 0.04)}


def test_one_full_core_of_three_is_the_generators_limit_and_is_named() -> None:
    _, b = judged(busy={"b": 0.4}, events={"b": ONE_FULL}, cores=THREE)
    assert (b.limited_by, b.client_core) == ("client", 2)
    assert b.client_busy == pytest.approx(0.97)
    assert says(b.at_least, "generator_limit", client_core=2), b.at_least
    _, b = judged(busy={"b": 0.87}, events={"b": ONE_FULL}, cores=THREE)
    assert says(b.warnings, "generator_near_limit", client_core=2)


def test_three_cores_that_are_busy_for_a_third_of_the_time_are_no_limit() -> None:
    a_third = {"busy": 0.35, "busy_threads": (0.35, 0.36, 0.34)}
    _, b = judged(busy={"b": 0.98}, events={"b": a_third}, cores=THREE)
    assert (b.limited_by, b.client_core, b.at_least) == ("server", 2, ())


def test_a_generator_with_one_core_and_one_of_an_earlier_version_name_none() -> None:
    for cores, event in ((None, {"busy": 0.97, "busy_threads": (0.97,)}), (THREE, {"busy": 0.97})):
        given = {} if cores is None else {"cores": cores}
        _, b = judged(busy={"b": 0.4}, events={"b": event}, **given)
        assert (b.limited_by, b.client_core) == ("client", None)
        assert says(b.at_least, "generator_limit", client_core=None), b.at_least


def test_an_upstream_has_a_part_of_three_cores() -> None:
    shared = {"upstream_cpus": (1, 2, 3), "cores": THREE, "busy": {"b": 0.5}}
    _, b = judged(upstream={"b": 0.45}, events={"b": {"busy_threads": (0.5, 0.5, 0.5)}}, **shared)
    assert not says(b.at_least, "upstream_limit")
    _, b = judged(upstream={"b": 0.45}, events={"b": {"busy_threads": (0.8, 0.8, 0.8)}}, **shared)
    assert says(b.at_least, "upstream_limit")


def test_a_database_uses_all_of_its_cores() -> None:
    given = {"upstream_cpus": (2, 3), "busy": {"b": 0.5}, "database_rows": 20}
    _, b = judged(upstream={"b": 1.2}, **given)
    assert not says(b.at_least, "upstream_limit")
    _, b = judged(upstream={"b": 1.9}, **given)
    assert says(b.at_least, "upstream_limit", upstream_busy=0.95)


def test_who_waits_for_a_connection_while_the_kernel_drops_some_met_a_full_queue() -> None:
    events = {"b": {"errors": {"connect_timeout": 90}}}
    _, b = judged(events=events, connection="close", end={"tcp": TROUBLE})
    assert says(b.reasons, "unanswered", dropped=16)
    _, kept = judged(events=events, end={"tcp": TROUBLE})
    _, quiet = judged(events=events, connection="close", end={"tcp": NO_TROUBLE})
    assert [each.values["dropped"] for each in kept.reasons + quiet.reasons] == [None, 0]


def test_on_shared_cores_nobody_says_that_the_limit_is_unknown() -> None:
    _, b = judged(busy={"b": 0.5}, cores=Cores(server=(0,), client=(0,)))
    assert "limit_unknown" not in codes(b.warnings)


@pytest.mark.parametrize(
    "end",
    [
        conducts(),
        conducts(began=2),
        ended("SIGTERM", "SIGKILL"),
        held(227, 248, 36.0),
        held(10, 14, 10.0),
        held(10, 9, 10.0),
        {"loaded": {"b": Memory(pss_mib=99, processes=1)}, "lasted_s": 9.0},
    ],
)
def test_nothing_to_warn_of(end: dict[str, object]) -> None:
    _, b = judged(end=end)
    assert not b.warnings and not b.reasons


def test_a_heap_that_grew_in_one_boot_alone_is_no_leak() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6, end=held(10, 20, 10.0))
    records = race.records()
    records[-1] = records[-1].model_copy(update=held(20, 20, 10.0))
    assert "memory_grew" not in codes(row(races.judged(race, records), "b").warnings)


def test_one_that_moved_is_invalid_though_its_process_lives() -> None:
    _, moved = judged(events={"b": REFUSED})
    assert says(moved.reasons, "port_closed", port="8080")
    _, died = judged(events={"b": REFUSED}, died={"b": "signal 9"})
    assert "port_closed" not in codes(died.reasons)


def test_who_lost_a_process_and_went_on_with_others_is_valid_and_warned_of() -> None:
    a, b = judged(boots=1, end={"lost": {"b": ("signal 9", "signal 11")}})
    assert b.valid and says(b.warnings, "processes_lost", n=2, how="signal 9")
    assert "processes_lost" not in codes(a.warnings)


def test_one_that_was_away_for_a_moment_has_not_moved() -> None:
    _, b = judged(blocks=60, events={"b": {"errors": {"connect_refused": 1}}})
    assert b.reasons == ()
