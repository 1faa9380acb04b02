"""What a contender's processes did that they should not: a sentence each."""

from collections.abc import Sequence

from bakeoff.judge.groups import listed, several
from bakeoff.judge.history import History
from bakeoff.model.plan import Plan

GROWTH_MIB_PER_S = 0.5
GROWTH_SHARE = 0.2


def reasons(plan: Plan, name: str, seen: History) -> list[str]:
    """Why its figures can't stand."""
    return [reason for reason in (_moved(name, seen), _strayed(plan, name, seen)) if reason]


def _moved(name: str, seen: History) -> str:
    """Refused connections are a full queue nowhere on Linux: nobody listens."""
    for boot in seen.boots:
        theirs = [piece.event for block, piece in seen.slices(name) if block.boot == boot]
        gone = any(name in end.died for end in seen.ends if end.boot == boot)
        if theirs and not gone and not theirs[-1].requests:
            refused = theirs[-1].errors.get("connect_refused", 0)
            port = next((each.address.rpartition(":")[2] for each in seen.started(name)), "")
            if refused:
                return f"it no longer listens on port {port}, though its process lives"
    return ""


def _strayed(plan: Plan, name: str, seen: History) -> str:
    """A core more than the others had."""
    strayed = {
        cpu for end in seen.ends if name in end.conducts for cpu in end.conducts[name].strayed
    }
    if not strayed:
        return ""
    given = plan.cores.server
    return (
        f"it left its cores: it was given {_cores(given)} and let itself run on "
        f"{_cores(sorted(strayed))} too"
    )


def _cores(cpus: Sequence[int]) -> str:
    return f"{several(len(cpus), 'core', 'cores')} {listed([str(cpu) for cpu in cpus])}"


def warnings(name: str, seen: History) -> list[str]:
    """What a reader should know."""
    found = [
        _restarted(name, seen),
        _escaped(name, seen),
        _killed(name, seen),
        _outlived(name, seen),
        _grew(name, seen),
    ]
    return [warning for warning in found if warning]


def _restarted(name: str, seen: History) -> str:
    """Some servers recycle their workers on purpose: it is no less work for that."""
    conducts = [end.conducts[name] for end in seen.ends if name in end.conducts]
    ended = sum(each.ended for each in conducts)
    began = sum(each.began for each in conducts)
    if not ended:
        return ""
    went = f"{ended:,} of its working processes ended while it was measured"
    return f"{went} and {began:,} took over: it restarts its workers" if began else went


def _escaped(name: str, seen: History) -> str:
    most = max((end.conducts[name].escaped for end in seen.ends if name in end.conducts), default=0)
    if not most:
        return ""
    return (
        f"it started {most} {several(most, 'process', 'processes')} that left its process group; "
        f"bakeoff ended {several(most, 'it', 'them')}"
    )


def _killed(name: str, seen: History) -> str:
    how = [each.how for end in seen.ends for each in end.stopped if each.name == name]
    boots = how.count("SIGKILL")
    if not boots:
        return ""
    return f"it did not end when asked to (SIGTERM) and was killed, in {boots} of {len(how)} boots"


def _outlived(name: str, seen: History) -> str:
    left = {
        pid
        for end in seen.ends
        for each in end.stopped
        if each.name == name
        for pid in each.survivors
    }
    if not left:
        return ""
    return (
        f"even SIGKILL did not end its {several(len(left), 'process', 'processes')} "
        f"{listed([str(pid) for pid in sorted(left)])}: the machine measures nothing well until "
        "it is started anew"
    )


def _grew(name: str, seen: History) -> str:
    """In every boot, and by a fifth of what it held: a large heap finds its size by and by.

    Of fifteen servers fourteen grew by 4 MiB at most in 24 to 36 s under load, or by less than a
    tenth; a Java heap that was not warm yet grew from 103 to 150 MiB.
    """
    grown = [
        (
            end.loaded[name].pss_mib - end.warmed[name].pss_mib,
            end.warmed[name].pss_mib,
            end.lasted_s,
        )
        for end in seen.ends
        if name in end.loaded and name in end.warmed and end.lasted_s
    ]
    leaks = [
        mib >= GROWTH_SHARE * held and mib >= GROWTH_MIB_PER_S * lasted_s
        for mib, held, lasted_s in grown
    ]
    if not leaks or not all(leaks):
        return ""
    rate = sum(mib for mib, _, _ in grown) / sum(lasted_s for _, _, lasted_s in grown)
    mib, held, _ = max(grown)
    return (
        f"its memory grew by {rate:.1f} MiB a second while it was measured, in one boot from "
        f"{held:.0f} to {held + mib:.0f} MiB"
    )
