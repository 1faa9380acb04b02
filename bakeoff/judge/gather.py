"""One cause, one warning: what contenders have in common is said once, of the race."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.judge.calm import steal_share
from bakeoff.judge.history import History
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Cores

Own = Mapping[str, tuple[Finding, ...]]
"""Contender → its own findings."""

STOLEN_MIN = 0.01
"""Less of the cores' time explains nothing."""
BUSY_MIN = 0.9
"""Of the time that the host left: from there on a side is taken to have been at its limit."""
SAME_MOMENT = 0.125
"""Changes this near to each other, as a share of a boot, are one: two of its twenty moments."""

CAUSES: Mapping[str, str] = {
    "out_in_boots": "reason",
    "packets_lost": "quantile",
    "syn_repeated": "quantile",
    "verification": "text",
    "answers_count": "place",
    "answers_unlike": "differences",
}
"""Of these codes, the value that contenders with one cause share."""
OF_MACHINE = ("machine_changed", "machine_stood_still")


@dataclass(frozen=True)
class Stolen:
    """Shares of the cores' time that the host took: of all cores of a race, and of each side's."""

    all: float
    server: float
    client: float

    @classmethod
    def of(cls, history: History, cores: Cores) -> "Stolen | None":
        """Over all blocks; None: it can't be known, or was too little to explain anything."""
        # Of a generator on another machine it isn't known what its host takes.
        client = cores.server if cores.apart else cores.client
        sides = (cores.here, frozenset(cores.server), frozenset(client))
        both, *each = (steal_share(history.blocks, side) for side in sides)
        if both is None or both <= STOLEN_MIN:
            return None
        return cls(both, *(both if share is None else share for share in each))

    def hides(self, finding: Finding) -> bool:
        """Whether it is why neither side was seen at its limit: of what was left one was busy."""
        if finding.code != "limit_unknown":
            return False
        server, client = (finding.values[key] for key in ("server_busy", "client_busy"))
        assert isinstance(server, float | int) and isinstance(client, float | int)
        return server >= BUSY_MIN * (1 - self.server) or client >= BUSY_MIN * (1 - self.client)


def gather(own: Own, stolen: Stolen | None = None) -> tuple[tuple[Finding, ...], Own]:
    """What is to be said of the race, and what each contender keeps.

    Contenders whose findings share code and cause have one finding in the race, which `tells`
    theirs; they keep their own, for whoever reads one entry alone. What was the machine's doing
    leaves them.
    """
    machine = [each for findings in own.values() for each in findings if each.code in OF_MACHINE]
    kept = {name: tuple(e for e in each if e.code not in OF_MACHINE) for name, each in own.items()}
    pairs = [(name, each) for name, findings in kept.items() for each in findings]
    hidden = {name: each for name, each in pairs if stolen and stolen.hides(each)}
    groups: dict[tuple[str, str], dict[str, Finding]] = {}
    for name, each in pairs:
        if name not in hidden or each.code != "limit_unknown":
            cause = (each.values.get(CAUSES.get(each.code, "")), each.because)
            groups.setdefault((each.code, str(cause)), {}).setdefault(name, each)
    said = [*_machines(machine)]
    if stolen and hidden:
        because, names = hidden.values(), list(hidden)
        said.append(Finding.of("host_hides_limits", *because, share=stolen.all, names=names))
    for group in groups.values():
        if len(group) > 1:
            said.append(Finding.of("several", *group.values(), names=list(group)))
    return tuple(said), kept


def _machines(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Each of the machine's doings once, in the words of that with the most names, with all names.

    Several contenders saw it, each in its own blocks.
    """
    left = sorted(findings, key=lambda each: -len(_names(each)))
    while left:
        first = left[0]
        same = [each for each in left if _is_same(first, each)]
        names = dict.fromkeys(name for each in same for name in _names(each))
        yield first.model_copy(update={"values": {**first.values, "names": list(names)}})
        left = [each for each in left if each not in same]


def _is_same(first: Finding, other: Finding) -> bool:
    """Whether both are about one thing that the machine did."""
    if first.code != other.code:
        return False
    if first.code == "machine_stood_still":
        return True
    (at, ratio), (others_at, others_ratio) = (
        (float(str(each.values["after_share"])), float(str(each.values["after_ratio"])))
        for each in (first, other)
    )
    return (
        first.values["boot"] == other.values["boot"]
        and abs(at - others_at) <= SAME_MOMENT
        and (ratio > 1) == (others_ratio > 1)
    )


def _names(finding: Finding) -> list[str]:
    names = finding.values["names"]
    assert isinstance(names, list)
    return [str(name) for name in names]
