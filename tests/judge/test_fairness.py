"""Unequal work, by the sentence that says it."""

import pytest

from bakeoff.judge import judge
from bakeoff.judge.fairness import unequal
from bakeoff.model.audit import Audit, Crew, Work, Written
from bakeoff.model.plan import Cores, Plan
from bakeoff.model.verdict import Verdict
from tests.judge.races import MACHINE, SOUND_AUDIT, Race

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


def said(works: dict[str, Work], **plan: object) -> tuple[str, ...]:
    """What is said of `works` and two sound contenders beside them."""
    return unequal(planned(**plan), {**works, "good": work(), "fine": work()})


def test_of_equal_work_nothing_is_said() -> None:
    assert said({}) == said({"x": work()}) == ()


@pytest.mark.parametrize(
    ("works", "sentence"),
    [
        (
            {"x": work(crew=ALONE)},
            "x ran 1 process with 1 thread at work where 4 workers were asked for",
        ),
        (
            {"x": audited(awaits_request=False)},
            "x answers before a request is complete: it does not read it to its end",
        ),
        (
            {"x": work(crew=ALONE), "y": work(crew=ALONE)},
            "x and y ran 1 process with 1 thread at work where 4 workers were asked for",
        ),
        (
            {"x": work(crew=ALONE), "y": work(crew=ALONE.model_copy(update={"processes": 5}))},
            "x ran 1 process with 1 thread at work, y 5 processes with 1 thread at work, where 4 "
            "workers were asked for",
        ),
        ({"x": work(written_per_request=33.7)}, "x wrote 34 bytes of log per request"),
        (
            {"x": work(written_per_request=33.7), "y": work(written_per_request=80.0)},
            "x and y wrote 34 and 80 bytes of log per request",
        ),
        ({"x": audited(segments=2)}, "x answers in 2 writes, the others in one"),
        (
            {"x": audited(segments=2), "y": audited(segments=3)},
            "x answers in 2 writes, y answers in 3 writes, the others in one",
        ),
        (
            {"x": audited(apart_ms=41.2)},
            "",
        ),
        (
            {"x": audited(segments=None, apart_ms=41.2)},
            "x shows the 40 ms of Nagle's algorithm meeting delayed acknowledgement: TCP_NODELAY "
            "is off",
        ),
        (
            {"x": work(keeps_alive=False)},
            "x offers no keep-alive: each request pays for a connection of its own",
        ),
        ({"x": audited(kept=7)}, "x closes a connection after 7 requests"),
        (
            {"x": audited(kept=7), "y": audited(kept=10)},
            "x and y close a connection after 7 and 10 requests",
        ),
        ({"x": audited(closes_when_asked=False)}, "x leaves open what it was asked to close"),
        ({"x": audited(date="frozen")}, "the Date of x does not move"),
        ({"x": work(headers=("content-length", "server"))}, "x sends no Date"),
        ({"x": work(body_bytes=14)}, "the answers' bodies differ by 1 byte (fine 13, x 14)"),
        ({"x": work(head_bytes=150)}, "the answers' heads differ by 16 bytes (fine 134, x 150)"),
        (
            {"x": work(headers=("content-length", "date"))},
            "x sends no Server header, the others do",
        ),
        (
            {"x": work(headers=("date",))},
            "x sends no Content-Length and no Server header, the others do",
        ),
        ({"x": work(headers=("etag", *HEADERS))}, "x also sends Etag"),
        (
            {"x": work(headers=("etag", *HEADERS)), "y": work(headers=(*HEADERS, "x-runtime"))},
            "some also send what most don't: x Etag; y X-Runtime",
        ),
        ({"x": audited(keeps_http_1_0=False)}, "x keeps no connection of an HTTP/1.0 client"),
    ],
)
def test_each_inequality_has_its_sentence(works: dict[str, Work], sentence: str) -> None:
    assert said(works) == ((sentence,) if sentence else ())


def test_two_writes_that_wait_for_an_acknowledgement_are_two_things() -> None:
    waits = audited(segments=2, apart_ms=40.8, answer_ms=40.9)
    assert [each.split()[1] for each in said({"x": waits})] == ["answers", "shows"]


@pytest.mark.parametrize(
    ("apart_ms", "answer_ms", "waits"),
    [(19, 19, False), (41, 41, True), (251, 251, False), (0, 44, True), (0, 60, False)],
)
def test_which_times_are_those_of_nagle(apart_ms: float, answer_ms: float, waits: bool) -> None:
    split = audited(segments=2, apart_ms=apart_ms, answer_ms=answer_ms)
    assert any("Nagle" in each for each in said({"x": split})) == waits


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
def test_what_is_not_known_or_does_not_matter_is_not_said(works: dict[str, Work]) -> None:
    assert said(works) == ()


def test_what_all_do_is_equal() -> None:
    alike = audited(segments=2, date="frozen")
    assert unequal(planned(), {"x": alike, "y": alike}) == ()


def test_a_race_with_a_connection_per_request_has_no_use_for_keep_alive() -> None:
    works = {"x": audited(kept=7, keeps_http_1_0=False), "y": work(keeps_alive=False)}
    assert said(works, connection="close") == ()


@pytest.mark.parametrize(("at_work", "says"), [(1, True), (2, True), (3, False)])
def test_chance_may_leave_one_worker_of_four_with_little_to_do(at_work: int, says: bool) -> None:
    crew = Crew(processes=1, threads=4, processes_at_work=1, threads_at_work=at_work)
    assert bool(said({"x": work(crew=crew)})) == says


def test_fewer_connections_than_workers_leave_workers_without_work() -> None:
    assert said({"x": work(crew=ALONE)}, connections=1) == ()


@pytest.mark.parametrize(("cores", "says"), [((0,), False), ((0, 1, 2), True)])
def test_more_threads_than_asked_for_matter_where_there_are_cores_for_them(
    cores: tuple[int, ...], says: bool
) -> None:
    one = work(crew=ALONE)
    found = unequal(
        planned(workers=1, cores=Cores(server=cores, client=(3,))),
        {"x": work(), "y": one, "z": one},
    )
    sentence = (
        "x kept more threads at work (4) than the 1 that was asked for, and had 3 cores for them"
    )
    assert found == ((sentence,) if says else ())


def test_of_two_the_other_is_one() -> None:
    found = unequal(planned(), {"x": audited(segments=2), "y": work(headers=("date",))})
    assert found == (
        "x answers in 2 writes, the other in one",
        "y sends no Content-Length and no Server header, the other does",
    )


def test_thirty_contenders_keep_it_short() -> None:
    """Each differs in something from most; half a dozen kinds of difference, ten sentences."""
    works = {}
    for number in range(30):
        kept = 20 if number % 3 else 7
        works[f"c{number:02}"] = work(
            SOUND_AUDIT.model_copy(
                update={
                    "segments": 1 + number % 3,
                    "kept": kept,
                    "date": "frozen" if number % 7 == 0 else "moves",
                    "keeps_http_1_0": number % 2 == 0,
                }
            ),
            headers=HEADERS if number % 4 else (f"x-{number}", "content-length"),
            head_bytes=100 + number,
            crew=ALONE if number % 2 else ALL_AT_WORK,
            written_per_request=float(number),
        )
    found = unequal(planned(), works)
    assert len(found) <= 10
    assert all(len(each) < 200 for each in found), max(found, key=len)
    assert "c02, c03, c04 and 25 others wrote 2 to 29 bytes of log per request" in found


def judged(**changed: object) -> Verdict:
    race = Race({"a": 1.0, "b": 1.0, "c": 1.0}, boots=2, blocks=6, twin="a")
    for key, value in changed.items():
        setattr(race, key, value)
    return judge(race.plan(), race.receipts(), race.records(), MACHINE, True)


def test_a_verdict_says_what_is_unequal_and_each_entry_what_it_does() -> None:
    found = judged(audits={"b": SOUND_AUDIT.model_copy(update={"segments": 2}), "a": SOUND_AUDIT})
    assert found.fairness == ("b answers in 2 writes, the other in one",)
    works = {each.name: each.work for each in found.entries}
    assert works["a"] and works["a"].audit == SOUND_AUDIT
    assert works["c"] and works["c"].audit is None


def test_log_bytes_are_those_of_all_boots_over_their_requests() -> None:
    found = judged(written={"b": Written(log_bytes=30_000_000, scratch_bytes=10_000_000)})
    b = next(each for each in found.entries if each.name == "b")
    assert b.work and b.work.written_per_request
    assert b.work.written_per_request == pytest.approx(40e6 / (6 * 20_000 * 1.3), rel=0.2)
    assert found.fairness[0].startswith("b wrote ")


def test_the_twin_and_who_is_not_valid_are_not_compared() -> None:
    frozen = SOUND_AUDIT.model_copy(update={"date": "frozen"})
    audits = {"a": SOUND_AUDIT, "twin": frozen, "b": frozen, "c": SOUND_AUDIT}
    assert judged(audits=audits).fairness == ("the Date of b does not move",)
    assert judged(audits=audits, died={"b": "signal 11"}).fairness == ()
