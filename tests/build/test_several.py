"""Several builds at a time."""

from pathlib import Path

import pytest

from bakeoff.build import Wanted, build_several, is_built
from bakeoff.model.errors import ContenderOut
from bakeoff.model.receipt import Receipt
from tests.build.test_builder import contender

MEET = (
    "sh -c 'touch ../{me}-is-here;"
    " for i in $(seq 2000); do [ -e ../{other}-is-here ] && exit; sleep 0.01; done'"
)


class Seen:
    """A watch that remembers."""

    def __init__(self) -> None:
        self.all: list[str] = []

    def began(self, name: str) -> None:
        self.all.append(f"began {name}")

    def ended(self, name: str, built: bool, seconds_s: float | None) -> None:
        how = "kept" if seconds_s is None else "built" if built else "failed"
        self.all.append(f"{how} {name}")


def named(tmp_path: Path, name: str, command: object) -> Wanted:
    """Called `name`, whatever its own name is: two revisions of one contender share that."""
    return Wanted(name, contender(tmp_path / name, command), tmp_path / name)


def test_two_at_a_time_overlap(tmp_path: Path) -> None:
    """Each waits for what the other one leaves: one after the other, the first would fail."""
    wanted = [
        named(tmp_path, me, [MEET.format(me=me, other=other), f"test -e ../{other}-is-here"])
        for me, other in ("ab", "ba")
    ]
    assert all(isinstance(outcome, Receipt) for outcome in build_several(wanted, 2, Seen()))


def test_one_at_a_time_is_in_the_order_that_was_asked(tmp_path: Path) -> None:
    seen = Seen()
    build_several([named(tmp_path, name, "true") for name in "cab"], 1, seen)
    assert seen.all == ["began c", "built c", "began a", "built a", "began b", "built b"]


def test_one_that_fails_leaves_the_others_alone(tmp_path: Path) -> None:
    seen = Seen()
    wanted = [
        named(tmp_path, "bad", ["touch {out}/half", "ls nothing"]),
        named(tmp_path, "good", "true"),
    ]
    bad, good = build_several(wanted, 1, seen)
    assert isinstance(bad, ContenderOut) and "`ls nothing`" in str(bad)
    assert isinstance(good, Receipt)
    assert seen.all == ["began bad", "failed bad", "began good", "built good"]
    left = [path.name for path in (tmp_path / "bad" / ".out").iterdir()]
    assert left == ["build.log"], "half a build is of no use, and may be large"


def test_what_is_built_already_is_not_said_to_begin(tmp_path: Path) -> None:
    one = named(tmp_path, "one", "true")
    build_several([one], 1, Seen())
    seen = Seen()
    build_several([one, one], 2, seen)
    assert seen.all == ["kept one", "kept one"]


def test_one_folder_is_built_once_though_two_ask_for_it(tmp_path: Path) -> None:
    seen = Seen()
    one = named(tmp_path, "one", "mktemp -p {out} built-XXXXXX")
    first, second = build_several([one, one], 2, seen)
    assert first == second
    assert sorted(seen.all) == ["began one", "built one", "kept one"]


def test_a_tool_of_two_builds_at_a_time_is_checked_once(tmp_path: Path) -> None:
    check = f"sh -c 'echo 1 >> {tmp_path}/checks; sleep 0.2'"
    wanted = [
        Wanted(name, contender(folder, "true", requires={"tool": {"check": check}}), folder)
        for name in "ab"
        for folder in [tmp_path / name]
    ]
    assert all(isinstance(outcome, Receipt) for outcome in build_several(wanted, 2, Seen()))
    assert (tmp_path / "checks").read_text() == "1\n"


def test_when_we_fail_what_runs_is_ended_and_does_not_count_as_built(tmp_path: Path) -> None:
    class Broken(Seen):
        def began(self, name: str) -> None:
            if name == "second":
                raise ValueError("a fault of ours")

    first = named(tmp_path, "first", ["touch {out}/half", "sleep 600"])
    with pytest.raises(ValueError, match="a fault of ours"):
        build_several([first, named(tmp_path, "second", "true")], 2, Broken())
    assert not is_built(first.contender, first.folder)
    assert not (first.folder / ".out" / "half").exists()


def test_a_command_that_takes_too_long_is_told_from_one_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bakeoff.build.builder.COMMAND_TIMEOUT_S", 0.2)
    (slow,) = build_several([named(tmp_path, "slow", "sleep 600")], 1, Seen())
    assert "`sleep 600`" in str(slow) and "setup --jobs 1" in str(slow)
