"""Each reason and each warning, from the smallest race that has it."""

import pytest

from bakeoff.judge import judge
from bakeoff.judge.signatures import signatures
from bakeoff.model.engine import BadExchange
from bakeoff.model.plan import Cores
from bakeoff.model.samples import TcpTrouble
from bakeoff.model.verdict import Latency, Verdict, VerdictEntry
from tests.judge.races import BAD, MACHINE, Race

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
TROUBLE = TcpTrouble(listen_overflows=7, listen_drops=8, retransmits=9)
QUIET = TcpTrouble(listen_overflows=0, listen_drops=0, retransmits=0)


def judged(**changed: object) -> tuple[Verdict, VerdictEntry]:
    """The verdict on a race of a and b, and its entry b, which `changed` is mostly about."""
    race = Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6)
    for key, value in changed.items():
        setattr(race, key, value)
    found = judge(race.plan(), race.receipts(), race.records(), MACHINE, True)
    return found, next(each for each in found.entries if each.name == "b")


def test_a_sound_race_has_nothing_to_say() -> None:
    found, b = judged()
    assert found.valid and b.valid and not (found.warnings or b.warnings or b.reasons)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (
            {"events": {"b": {"errors": {"mismatch_body": 2, "status": 1}, "first_bad": BAD}}},
            "answers were wrong; the first: body differs at byte 7",
        ),
        (
            {"events": {"b": {"errors": {"timeout": 200, "connect_refused": 9}}}},
            "requests got no answer",
        ),
        (
            {"events": {"b": {"errors": {"malformed": 1}, "first_bad": TWICE}}},
            "it answered twice: 147 bytes that nobody asked for, after the answer",
        ),
        (
            {"events": {"b": {"errors": {"timeout": 50}, "first_bad": HALF}}},
            "600 timeout); an answer stopped in the middle; 0.1 % is the limit",
        ),
        ({"open": {"b": 60}}, "only 60 of 64 connections could be opened"),
        ({"events": {"b": {"busy": 0.97}}, "busy": {"b": 0.4}}, "the load generator was the limit"),
        ({"events": {"b": {"in_flight_ns": 1_200_000_000}}}, "of the time was spent in the load"),
        ({"pipeline": 16}, "64.0 requests were in flight on average, with 64 connections of 16"),
        ({"died": {"b": "signal 11"}}, "it died under load: signal 11"),
        ({"events": {"b": {"requests": 0, "requests_all": 0}}}, "it answered no request"),
    ],
)
def test_reasons(changed: dict[str, object], reason: str) -> None:
    found, b = judged(**changed)
    assert not b.valid and not found.valid
    assert any(reason in each for each in b.reasons), b.reasons
    assert (b.ratio, b.rank, b.letters) == (None, None, "")


@pytest.mark.parametrize(
    ("changed", "warning"),
    [
        ({"leak": {"b": 0.05}}, "it used 5.0% of the server's cores while others had their turn"),
        ({"events": {"b": {"connects": 500}}}, "it closed connections though keep-alive was asked"),
        ({"events": {"b": {"connects": 3, "idle_closed": 3}}}, "it closed 36 idle connections"),
        (
            {"events": {"b": {"errors": {"reset": 1}}}},
            "12 of 321,110 requests got no answer (0.00%; 12 reset)",
        ),
        (
            {"busy": {"b": 0.5}},
            "its limit is unknown: the server was busy 50% of the time and the load generator 50%",
        ),
        ({"unsteady": ("b",)}, "reached no steady state in 2 of 2 boots"),
        ({"verified": {"b": {"warnings": ("no Date",)}}}, "no Date"),
        ({"cpu_seen": False, "events": {"b": {"busy": 0.97}}}, "may have been the limit"),
        (
            {"events": {"b": {"busy": 0.92}}, "busy": {"b": 0.87}},
            "busy 92% of the time and the server 87%: at moments the generator was the limit, and "
            "the server may be up to 15% faster",
        ),
    ],
)
def test_warnings_on_an_entry(changed: dict[str, object], warning: str) -> None:
    _, b = judged(**changed)
    assert b.valid, b.reasons
    assert any(warning in each for each in b.warnings), b.warnings


@pytest.mark.parametrize(
    ("changed", "warning"),
    [
        ({"cores": Cores(server=(0,), client=(0,))}, "share cores"),
        ({"end": {"tcp": TROUBLE}}, "14 connections met a full listen queue (counted over all"),
        ({"steal_s": 0.05}, "the host took 5.0% of the cores' time away"),
        ({"cpu_source": {"b": "tree"}}, "CPU time was not read in the same way for all"),
        ({"workers": 2}, "2 workers were asked for on one server core: they take turns"),
        ({"boots": 1, "blocks": 12}, "one boot: how far two starts of these programs differ"),
    ],
)
def test_warnings_on_the_race(changed: dict[str, object], warning: str) -> None:
    found, _ = judged(**changed)
    assert any(warning in each for each in found.warnings), found.warnings


def warmed(race: Race, **changed: object) -> tuple[Verdict, VerdictEntry]:
    """The verdict on a race whose warm-ups are `changed`, and its entry b."""
    records = [
        record.model_copy(update=changed) if record.type == "warmup" else record
        for record in race.records()
    ]
    found = judge(race.plan(), race.receipts(), records, MACHINE, True)
    return found, next(each for each in found.entries if each.name == "b")


LONG = {"a": (1e6,) * 12, "b": (2e6,) * 12 + (1e6,) * 12}


def test_a_slowdown_during_warm_up_is_a_warning_with_its_figures() -> None:
    found, b = warmed(
        Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6),
        requests_per_s=LONG,
        courses={"a": "flat", "b": "slowdown"},
        steady_from={"a": 0, "b": 12},
    )
    assert b.valid and b.warnings == (
        "it got slower while it was warmed up, in 2 of 2 boots: in boot 1 from 2,000,000 to "
        "1,000,000 requests/s",
    )
    assert [(each.boot, each.course, each.lasted_s) for each in b.warm_up] == [
        (0, "slowdown", 6.0),
        (1, "slowdown", 6.0),
    ]
    assert b.warm_up[0].requests_per_s == 1e6
    assert not found.warnings


def test_one_that_was_as_fast_again_once_it_was_measured_met_bad_weather() -> None:
    _, b = warmed(
        Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6),
        requests_per_s={"a": (1e6,) * 12, "b": (1e6,) * 12 + (5e5,) * 12},
        courses={"a": "flat", "b": "slowdown"},
        steady_from={"a": 0, "b": 12},
    )
    assert not b.warnings and b.warm_up[0].course == "slowdown"


def test_a_warm_up_that_the_race_had_no_time_for_is_told_once_and_of_no_entry() -> None:
    found, b = warmed(
        Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6),
        requests_per_s={"a": (1000.0,) * 4, "b": (1000.0,) * 4},
        courses={"a": "flat", "b": "unsteady"},
        steady={"a": True, "b": False},
    )
    assert not b.warnings
    assert found.warnings == (
        "nobody was warmed up for more than 1 s: a program that compiles while it runs may not "
        "have come up to speed",
    )


def test_one_that_had_its_time_and_did_not_settle_is_warned_of() -> None:
    _, b = warmed(
        Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6),
        requests_per_s=LONG,
        courses={"a": "flat", "b": "unsteady"},
        steady={"a": True, "b": False},
    )
    assert ["reached no steady state in 2 of 2 boots" in each for each in b.warnings] == [True]


def test_a_pipeline_has_its_depth_on_every_connection_in_flight() -> None:
    full = {"in_flight_ns": 16 * 64 * 20_000_000}
    _, b = judged(pipeline=16, events={"b": full})
    assert b.valid, b.reasons


def test_fewer_boots_than_planned() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=2, blocks=12)
    plan = race.plan().model_copy(update={"boots": 3})
    found = judge(plan, {}, race.records(), MACHINE, False)
    assert found.warnings[:2] == (
        "the race was cut short: this is the verdict on what was measured until then",
        "only 2 of 3 boots were measured",
    )


@pytest.mark.parametrize(
    ("server", "client", "limit"),
    [(0.98, 0.5, "server"), (0.98, 0.95, "both"), (0.4, 0.5, "unknown"), (0.4, 0.95, "client")],
)
def test_limited_by(server: float, client: float, limit: str) -> None:
    _, b = judged(busy={"b": server}, events={"b": {"busy": client}})
    assert b.limited_by == limit


def latency(p50_ms: float, p99_ms: float, p99_9_ms: float) -> Latency:
    return Latency(
        mean=p50_ms * 1e3,
        p50=p50_ms * 1e3,
        p75=p50_ms * 1e3,
        p90=p50_ms * 1e3,
        p99=p99_ms * 1e3,
        p99_9=p99_9_ms * 1e3,
        max=None,
    )


@pytest.mark.parametrize(
    ("quantiles", "busy", "says"),
    [
        (latency(44, 45, 46), 0.02, "Nagle meets delayed ACK"),
        (latency(1, 204, 210), 0.9, "minimum retransmission time"),
        (latency(1, 2, 1010), 0.9, "p99.9 is 1.0 s"),
        (latency(1, 3020, 7100), 0.9, "p99 is 3.0 s"),
    ],
)
def test_signatures_are_named(quantiles: Latency, busy: float, says: str) -> None:
    found = signatures(quantiles, busy)
    assert len(found) == 1 and says in found[0]


def test_a_busy_server_with_44_ms_is_only_slow() -> None:
    assert signatures(latency(44, 60, 70), 0.99) == []
    assert signatures(latency(190, 210, 220), 0.99) == []


@pytest.mark.parametrize(
    ("quantiles", "says"),
    [
        (latency(1, 204, 210), "packets were lost (the kernel sent 9 segments again"),
        (latency(1, 2, 1010), "its listen queue was full (the kernel dropped 8 connections"),
    ],
)
def test_a_signature_rests_on_what_the_kernel_counted(quantiles: Latency, says: str) -> None:
    (found,) = signatures(quantiles, 0.9, TROUBLE)
    assert says in found
    assert signatures(quantiles, 0.9, QUIET) == []


def test_who_waits_for_a_connection_while_the_kernel_drops_some_met_a_full_queue() -> None:
    events = {"b": {"errors": {"connect_timeout": 90}}}
    _, b = judged(events=events, connection="close", end={"tcp": TROUBLE})
    (reason,) = b.reasons
    assert "its listen queue was full (the kernel dropped 16 connections" in reason
    _, kept = judged(events=events, end={"tcp": TROUBLE})
    _, quiet = judged(events=events, connection="close", end={"tcp": QUIET})
    assert not any("queue" in reason for reason in kept.reasons + quiet.reasons)


def test_on_shared_cores_nobody_says_that_the_limit_is_unknown() -> None:
    _, b = judged(busy={"b": 0.5}, cores=Cores(server=(0,), client=(0,)))
    assert not any("limit is unknown" in each for each in b.warnings)
