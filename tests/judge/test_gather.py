"""One cause is one warning, with the names of those it concerns."""

import pytest

from bakeoff.judge.about_race import Stolen, gather
from bakeoff.model.finding import Finding
from bakeoff.report.kinds import shared
from tests.judge.races import Race, codes, judged, row, says

STOLEN = Stolen(all=0.14, server=0.16, client=0.12)


def limit(server: float = 0.6, client: float = 0.7) -> Finding:
    return Finding.of("limit_unknown", server_busy=server, client_busy=client)


def lost(quantile: str) -> Finding:
    return Finding.of("packets_lost", quantile=quantile, value_us=204_000.0, retransmits=3)


def changed(*names: str, at: float = 0.5, ratio: float = 0.7, boot: int = 0) -> Finding:
    return Finding.of(
        "machine_changed", boot=boot, after_share=at, after_ratio=ratio, names=list(names)
    )


def test_the_same_warning_of_several_is_one_of_the_race() -> None:
    own = {"a": (limit(0.5),), "b": (), "c": (limit(0.6),)}
    said, kept = gather(own)
    assert said == (Finding.of("several", limit(0.5), limit(0.6), names=["a", "c"]),)
    assert kept == own, "who reads one entry alone finds its warnings there"
    assert said[0].tells("a", limit(0.5)) and said[0].tells("c", limit(0.6))
    assert not said[0].tells("b", limit(0.5)) and not said[0].tells("a", limit(0.6))


def test_what_one_alone_has_stays_with_it() -> None:
    own = {"a": (limit(),), "b": (Finding.of("cpu_leak", share=0.1),)}
    assert gather(own) == ((), own)


def test_one_code_has_several_causes() -> None:
    said, _ = gather({"a": (lost("p99"),), "b": (lost("p99.9"),), "c": (lost("p99"),)})
    assert [each.values["names"] for each in said] == [["a", "c"]]


def test_a_limit_that_the_host_hides_is_its_doing() -> None:
    own = {"a": (limit(0.8, 0.5),), "b": (limit(0.5, 0.8),), "c": (limit(0.3, 0.3),)}
    said, kept = gather(own, STOLEN)
    hidden = Finding.of("host_hides_limits", *own["a"], *own["b"], share=0.14, names=["a", "b"])
    assert said == (hidden,) and kept == own


def test_a_change_of_the_machine_is_said_once_and_of_no_contender() -> None:
    leak = Finding.of("cpu_leak", share=0.1)
    own = {
        "a": (changed("a", "b", "c"), leak),
        "b": (changed("a", "b", "d", "e", at=0.55),),
        "c": (changed("a", "c", "e", at=0.9),),
    }
    said, kept = gather(own)
    assert said == (changed("a", "b", "d", "e", "c", at=0.55), changed("a", "c", "e", at=0.9))
    assert kept == {"a": (leak,), "b": (), "c": ()}


@pytest.mark.parametrize("other", [{"boot": 1}, {"ratio": 1.4}, {"at": 0.7}])
def test_changes_of_other_boots_moments_and_directions_are_others(other: dict[str, float]) -> None:
    second = changed("a", "b", "c").model_copy(
        update={
            "values": {
                **changed("a", "b", "c").values,
                **{
                    {"ratio": "after_ratio", "at": "after_share"}.get(key, key): value
                    for key, value in other.items()
                },
            }
        }
    )
    said, _ = gather({"a": (changed("a", "b", "c"),), "b": (second,)})
    assert len(said) == 2


def twenty(**race: object) -> Race:
    given: dict[str, object] = {
        "ratios": {f"s{n:02}": 1.0 for n in range(20)},
        "boots": 1,
        "blocks": 40,
        "busy": {f"s{n:02}": 0.7 + n / 200 for n in range(17)},
    }
    return Race(**(given | race))  # type: ignore[arg-type]


def test_a_race_of_twenty_has_a_sentence_for_each_cause() -> None:
    verdict = judged(twenty())
    assert codes(verdict.warnings) == ["one_boot", "several"]
    assert sum("limit_unknown" in codes(each.warnings) for each in verdict.entries) == 17
    assert len(shared.warnings(verdict)) == 2


def test_the_host_that_took_the_cores_is_the_cause_and_is_said_once() -> None:
    verdict = judged(twenty(steal_s=0.3))
    assert codes(verdict.warnings) == ["one_boot", "blocks_kept", "host_hides_limits"]
    assert len(shared.warnings(verdict)) == 3


def test_five_that_change_at_one_moment_have_one_sentence() -> None:
    changes = dict.fromkeys(["s00", "s01", "s02", "s03", "s04"], (20, 1.4))
    verdict = judged(twenty(changes=changes, busy={}))
    assert codes(verdict.warnings) == ["one_boot", "several"]
    assert codes(row(verdict, "s03").warnings) == ["faster_while_measured"]
    assert len(shared.warnings(verdict)) == 2


def test_a_machine_that_changed_for_most_is_no_contenders_fault() -> None:
    changes = {f"s{n:02}": (20, 1.6) for n in range(10)}
    verdict = judged(twenty(changes=changes, busy={}))
    (changed,) = (each for each in verdict.warnings if each.code == "machine_changed")
    assert set(changes) <= set(changed.values["names"] or ())  # type: ignore[arg-type]
    assert not any(each.warnings for each in verdict.entries)
    assert says(verdict.warnings, "machine_changed", boot=0)
