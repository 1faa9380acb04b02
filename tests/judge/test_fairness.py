"""Unequal work."""

import pytest

from bakeoff.judge.fairness import unequal
from bakeoff.model.audit import Audit, Crew, Http2Conduct, TlsConduct, Work, Written
from bakeoff.model.finding import Finding
from bakeoff.model.findings.values import Value
from bakeoff.model.plan import Cores, Plan
from bakeoff.model.protocol import Agreed, Protocol
from bakeoff.model.verdict import Verdict
from tests.judge import races
from tests.judge.facts import SOUND_AUDIT
from tests.judge.races import Race, codes, row

HEADERS = ("content-length", "date", "server")
ALL_AT_WORK = Crew(processes=5, threads=5, processes_at_work=4, threads_at_work=4)
ALONE = Crew(processes=1, threads=7, processes_at_work=1, threads_at_work=1)


def work(audit: Audit | None = SOUND_AUDIT, **changed: object) -> Work:
    sound: dict[str, object] = {
        "head_bytes": 134,
        "body_bytes": 13,
        "headers": HEADERS,
        "keeps_alive": True,
        "workers": 4,
        "audit": audit,
        "crew": ALL_AT_WORK,
        "written_per_request": 0.0,
    }
    return Work.model_validate(sound | changed)


def audited(**changed: object) -> Work:
    return work(SOUND_AUDIT.model_copy(update=changed))


def planned(**changed: object) -> Plan:
    return Race({"a": 1.0}).plan().model_copy(update={"workers": 4, **changed})


def findings(works: dict[str, Work], **plan: object) -> tuple[Finding, ...]:
    """What is unequal between `works` and two sound contenders beside them."""
    return unequal(planned(**plan), {**works, "good": work(), "fine": work()})


def test_of_equal_work_nothing_is_found() -> None:
    assert findings({}) == findings({"x": work()}) == ()


@pytest.mark.parametrize(
    ("works", "code", "values"),
    [
        (
            {"x": work(crew=ALONE), "y": work(crew=ALONE.model_copy(update={"processes": 5}))},
            "few_at_work",
            {"names": ["x", "y"], "processes": [1, 5], "threads": [1, 1], "workers": 4},
        ),
        ({"x": audited(awaits_request=False)}, "answers_early", {"names": ["x"]}),
        (
            {"x": work(written_per_request=33.7), "y": work(written_per_request=80.0)},
            "logs",
            {"names": ["x", "y"], "bytes_per_request": [33.7, 80.0]},
        ),
        (
            {"x": audited(segments=2)},
            "segments_differ",
            {"names": ["x", "good", "fine"], "segments": [2, 1, 1]},
        ),
        ({"x": audited(segments=None, apart_ms=41.2)}, "nagle", {"names": ["x"]}),
        ({"x": work(keeps_alive=False)}, "no_keep_alive", {"names": ["x"]}),
        (
            {"x": audited(kept=7), "y": audited(kept=10)},
            "closes_soon",
            {"names": ["x", "y"], "requests": [7, 10]},
        ),
        ({"x": audited(closes_when_asked=False)}, "stays_open", {"names": ["x"]}),
        ({"x": audited(date="frozen")}, "date_frozen", {"names": ["x"]}),
        ({"x": work(headers=("content-length", "server"))}, "no_date", {"names": ["x"]}),
        (
            {"x": work(body_bytes=14)},
            "bodies_differ",
            {"least": "fine", "least_bytes": 13, "most": "x", "most_bytes": 14},
        ),
        (
            {"x": work(head_bytes=150)},
            "heads_differ",
            {"least": "fine", "least_bytes": 134, "most": "x", "most_bytes": 150},
        ),
        (
            {"x": work(headers=("date",))},
            "headers_missing",
            {"names": ["x"], "headers": ["content-length", "server"], "others": 2},
        ),
        (
            {"x": work(headers=("etag", *HEADERS)), "y": work(headers=(*HEADERS, "a", "b"))},
            "headers_further",
            {"names": ["x", "y"], "headers": ["etag", "a,b"]},
        ),
        ({"x": audited(keeps_http_1_0=False)}, "no_http_1_0_keep_alive", {"names": ["x"]}),
    ],
)
def test_each_inequality_is_found(
    works: dict[str, Work], code: str, values: dict[str, Value]
) -> None:
    assert findings(works) == (Finding.of(code, **values),)


def test_two_writes_that_wait_for_an_acknowledgement_are_two_things() -> None:
    waits = audited(segments=2, apart_ms=40.8, answer_ms=40.9)
    assert codes(findings({"x": waits})) == ["segments_differ", "nagle"]


def test_one_write_that_takes_long_waits_for_nothing() -> None:
    assert findings({"x": audited(apart_ms=41.2)}) == ()


@pytest.mark.parametrize(
    ("apart_ms", "answer_ms", "waits"),
    [(19, 19, False), (41, 41, True), (251, 251, False), (0, 44, True), (0, 60, False)],
)
def test_which_times_are_those_of_nagle(apart_ms: float, answer_ms: float, waits: bool) -> None:
    split = audited(segments=2, apart_ms=apart_ms, answer_ms=answer_ms)
    assert ("nagle" in codes(findings({"x": split}))) == waits


@pytest.mark.parametrize(
    "works",
    [
        {"x": work(headers=()), "y": work(headers=())},
        {"x": work(None, crew=None, written_per_request=None)},
        {"x": work(written_per_request=0.9)},
        {"x": audited(segments=None)},
    ],
    ids=["no headers known", "never audited", "hardly anything written", "writes unknown"],
)
def test_what_is_not_known_or_does_not_matter_is_not_found(works: dict[str, Work]) -> None:
    assert findings(works) == ()


def test_what_all_do_is_equal() -> None:
    alike = audited(segments=2, date="frozen")
    assert unequal(planned(), {"x": alike, "y": alike}) == ()


def test_a_race_with_a_connection_per_request_has_no_use_for_keep_alive() -> None:
    works = {"x": audited(kept=7, keeps_http_1_0=False), "y": work(keeps_alive=False)}
    assert findings(works, connection="close") == ()


@pytest.mark.parametrize(("at_work", "says"), [(1, True), (2, True), (3, False)])
def test_chance_may_leave_one_worker_of_four_with_little_to_do(at_work: int, says: bool) -> None:
    crew = Crew(processes=1, threads=4, processes_at_work=1, threads_at_work=at_work)
    assert bool(findings({"x": work(crew=crew)})) == says


def test_fewer_connections_than_workers_leave_workers_without_work() -> None:
    assert findings({"x": work(crew=ALONE)}, connections=1) == ()


@pytest.mark.parametrize(("cores", "says"), [((0,), False), ((0, 1, 2), True)])
def test_more_threads_than_asked_for_matter_where_there_are_cores_for_them(
    cores: tuple[int, ...], says: bool
) -> None:
    alone = work(crew=ALONE)
    plan = planned(workers=1, cores=Cores(server=cores, client=(3,)))
    more = Finding.of("many_at_work", names=["x"], threads=[4], workers=1, cores=3)
    assert unequal(plan, {"x": work(), "y": alone, "z": alone}) == ((more,) if says else ())


def test_thirty_contenders_keep_it_short() -> None:
    """Each differs in something from most: one finding for each kind of difference."""
    works = {
        f"c{number:02}": audited(
            segments=1 + number % 3,
            kept=20 if number % 3 else 7,
            date="frozen" if number % 7 == 0 else "moves",
        ).model_copy(update={"head_bytes": 100 + number, "written_per_request": float(number)})
        for number in range(30)
    }
    kinds = ["logs", "segments_differ", "closes_soon", "date_frozen", "heads_differ"]
    assert codes(unequal(planned(), works)) == kinds


def judged(**changed: object) -> Verdict:
    race = Race({"a": 1.0, "b": 1.0, "c": 1.0}, boots=2, blocks=6, twin="a")
    for key, value in changed.items():
        setattr(race, key, value)
    return races.judged(race)


def test_a_verdict_says_what_is_unequal_and_each_entry_what_it_does() -> None:
    verdict = judged(audits={"b": SOUND_AUDIT.model_copy(update={"segments": 2}), "a": SOUND_AUDIT})
    assert codes(verdict.fairness) == ["segments_differ"]
    works = {each.name: each.work for each in verdict.entries}
    assert works["a"] and works["a"].audit == SOUND_AUDIT
    assert works["c"] and works["c"].audit is None


def test_log_bytes_are_those_of_all_boots_over_their_requests() -> None:
    verdict = judged(written={"b": Written(log_bytes=30_000_000, scratch_bytes=10_000_000)})
    b = row(verdict, "b")
    assert b.work and b.work.written_per_request
    assert b.work.written_per_request == pytest.approx(40e6 / (6 * 20_000 * 1.3), rel=0.2)
    assert codes(verdict.fairness) == ["logs"]


def test_the_twin_and_who_is_not_valid_are_not_compared() -> None:
    frozen = SOUND_AUDIT.model_copy(update={"date": "frozen"})
    audits = {"a": SOUND_AUDIT, "twin": frozen, "b": frozen, "c": SOUND_AUDIT}
    assert judged(audits=audits).fairness == (Finding.of("date_frozen", names=["b"]),)
    assert judged(audits=audits, died={"b": "signal 11"}).fairness == ()


GCM = {"tls_version": "1.3", "cipher": "TLS13_AES_128_GCM_SHA256"}
SOUND_TLS = TlsConduct(
    version="1.3", cipher="TLS_AES_256_GCM_SHA384", key="EC secp256r1", alpn="h2", resumes=True
)
SOUND_HTTP_2 = Http2Conduct(
    max_concurrent_streams=128,
    initial_window=None,
    header_table_size=None,
    max_frame_size=16_384,
    head_bytes=150,
    first_head_bytes=90,
    next_head_bytes=20,
)


def spoken(
    tls: dict[str, object] | None = None,
    http_2: dict[str, object] | None = None,
    protocol: Protocol = "h2",
    **agreed: object,
) -> Work:
    """Sound work over HTTP/2 and TLS, but for what is given."""
    audit = SOUND_AUDIT.model_copy(
        update={
            "keeps_http_1_0": None,
            "closes_when_asked": None,
            "tls": SOUND_TLS.model_copy(update=tls or {}),
            "http2": SOUND_HTTP_2.model_copy(update=http_2 or {}),
        }
    )
    return work(audit, protocol=protocol, agreed=Agreed.model_validate(GCM | agreed))


@pytest.mark.parametrize(
    ("other", "code", "values"),
    [
        (
            spoken(tls_version="1.2"),
            "tls_versions_differ",
            {"names": ["x", "y"], "versions": ["1.3", "1.2"]},
        ),
        (
            spoken(cipher="TLS13_AES_256_GCM_SHA384"),
            "ciphers_differ",
            {
                "names": ["x", "y"],
                "ciphers": ["TLS13_AES_128_GCM_SHA256", "TLS13_AES_256_GCM_SHA384"],
            },
        ),
        (
            spoken({"key": "RSA 2048"}),
            "keys_differ",
            {"names": ["x", "y"], "certificate_keys": ["EC secp256r1", "RSA 2048"]},
        ),
        (spoken({"resumes": False}), "no_resumption", {"names": ["y"]}),
        (spoken({"alpn": None}), "no_alpn", {"names": ["y"]}),
        (
            spoken(None, {"next_head_bytes": 60}),
            "hpack_differs",
            {"names": ["x", "y"], "head_bytes": [150, 150], "packed_bytes": [20, 60]},
        ),
        (
            spoken(None, {"max_concurrent_streams": None}),
            "http2_settings_differ",
            {"setting": "MAX_CONCURRENT_STREAMS", "names": ["x", "y"], "kept": ["128", "no limit"]},
        ),
        (
            spoken(None, {"header_table_size": 0}),
            "http2_settings_differ",
            {"setting": "HEADER_TABLE_SIZE", "names": ["x", "y"], "kept": ["4,096", "0"]},
        ),
    ],
)
def test_unlike_tls_and_http_2_are_found(other: Work, code: str, values: dict[str, Value]) -> None:
    (found,) = unequal(planned(protocol="h2"), {"x": spoken(), "y": other})
    assert found == Finding.of(code, **values)


def test_settings_that_only_bodies_meet_count_where_requests_have_one() -> None:
    works = {"x": spoken(), "y": spoken(None, {"initial_window": 1, "max_frame_size": 20_000})}
    assert unequal(planned(protocol="h2"), works) == ()
    plan = planned(protocol="h2")
    request = plan.workload.request.model_copy(update={"body": "a body"})
    workload = plan.workload.model_copy(update={"request": request})
    found = unequal(plan.model_copy(update={"workload": workload}), works)
    assert [each.values["setting"] for each in found] == ["INITIAL_WINDOW_SIZE", "MAX_FRAME_SIZE"]


def test_bodies_in_frames_are_compared_among_themselves() -> None:
    works = {"x": spoken(), "y": work(protocol="h1", body_bytes=4)}
    assert unequal(planned(), works) == ()
    framed = {"x": spoken(), "y": spoken().model_copy(update={"body_bytes": 22})}
    assert codes(unequal(planned(protocol="h2"), framed)) == ["bodies_differ"]


def test_a_setting_that_is_the_default_is_no_difference_to_one_that_is_not_sent() -> None:
    other = spoken(None, {"initial_window": 65_535, "header_table_size": 4_096})
    assert unequal(planned(protocol="h2"), {"x": spoken(), "y": other}) == ()


def test_what_is_not_spoken_is_not_compared() -> None:
    plain = work(protocol="h1")
    assert unequal(planned(), {"x": spoken(), "y": plain}) == ()


def test_one_that_admits_fewer_streams_than_were_asked_for_comes_first() -> None:
    few = spoken(max_concurrent_streams=10)
    (first, *_) = unequal(planned(protocol="h2", streams=100), {"x": spoken(), "y": few})
    assert first == Finding.of("streams_capped", names=["y"], limits=[10], streams=100)
    assert unequal(planned(protocol="h2", streams=10), {"x": spoken(), "y": few}) == ()
