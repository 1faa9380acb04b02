"""What contenders run, write and hold while they are loaded, beside their answers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import fmean

from bakeoff.measure import ThreadTimes, process_changes, threads_at_work
from bakeoff.model.audit import Conduct, Crew, Written
from bakeoff.model.protocol import OVER_UDP
from bakeoff.model.readings import Memory, PathSeen, TcpTrouble
from bakeoff.model.samples import BootEnd
from bakeoff.runs.measuring.instances import Running
from bakeoff.runs.measuring.session import Session


@dataclass(frozen=True)
class _Seen:
    """One process as it was when the observation began."""

    memory: Memory | None
    tasks: ThreadTimes


class Observation:
    """Looks when it is made, which is after the warm-up, and again before the boot ends.

    A program's work to come up to speed (compiling, reading files) is not its work for a request.
    The observation covers all processes that run from one look to the other; processes that live
    for one draw only are represented by their neighbours, which live for the boot. Written bytes
    and the events of TCP and of a path count only within `blocks`: draws connect and warm up in
    between.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._meters = session.context.stages.meters
        self._clock = session.context.stages.clock
        self._began = {each.key: self._seen(each) for each in session.instances.up}
        self._written: dict[str, Written] = {}
        self._tcp: list[TcpTrouble | None] = []
        self._dropped: Counter[str] = Counter()
        self._forwarder = session.context.forwarder(session.plan)
        self._path: list[PathSeen] = []
        self._network = self._meters.network()
        self._began_ns = self._clock.now_ns()

    @contextmanager
    def blocks(self) -> Iterator[None]:
        """Blocks are measured, with the processes that the session has `running`."""
        before = self._written_now()
        tcp_before, dropped_before = self._meters.tcp(), self._dropped_now()
        if self._forwarder:
            self._forwarder.seen()
        yield
        if self._forwarder:
            self._path.append(self._forwarder.seen())
        tcp = self._meters.tcp()
        self._tcp.append(tcp.since(tcp_before) if tcp and tcp_before else None)
        for key, (name, dropped) in self._dropped_now().items():
            self._dropped[name] += dropped - dropped_before.get(key, (name, dropped))[1]
        for name, now in self._written_now().items():
            if name in before:
                so_far = self._written.get(name, Written(log_bytes=0, scratch_bytes=0))
                # A file that was cut counts as zero.
                self._written[name] = Written(
                    log_bytes=so_far.log_bytes + max(0, now.log_bytes - before[name].log_bytes),
                    scratch_bytes=so_far.scratch_bytes
                    + max(0, now.scratch_bytes - before[name].scratch_bytes),
                )

    def end(self) -> BootEnd:
        lasted_s = (self._clock.now_ns() - self._began_ns) / 1e9
        tcp = [each for each in self._tcp if each]
        network = self._meters.network()
        lasting = [each for each in self._session.instances.up if each.key in self._began]
        ended = {each.key: self._seen(each) for each in lasting}
        crews: dict[str, list[Crew]] = {}
        conducts: dict[str, list[Conduct]] = {}
        loaded: dict[str, list[Memory]] = {}
        warmed: dict[str, list[Memory]] = {}
        for each in lasting:
            name, before, after = each.entry.name, self._began[each.key], ended[each.key]
            crew = threads_at_work(before.tasks, after.tasks)
            if crew:
                crews.setdefault(name, []).append(crew)
                conducts.setdefault(name, []).append(self._conduct(each, before, after))
            if after.memory:
                loaded.setdefault(name, []).append(after.memory)
            if before.memory:
                warmed.setdefault(name, []).append(before.memory)
        return BootEnd(
            boot=self._session.boot,
            loaded={name: _mean(several) for name, several in loaded.items()},
            stopped=(),
            crews={name: max(several, key=_at_work) for name, several in crews.items()},
            written=self._written,
            conducts={name: _together(several) for name, several in conducts.items()},
            warmed={name: _mean(several) for name, several in warmed.items()},
            lasted_s=lasted_s,
            tcp=TcpTrouble.summed(tcp) if tcp and len(tcp) == len(self._tcp) else None,
            dropped=dict(self._dropped),
            path=PathSeen.together(self._path),
            network=network.since(self._network) if network and self._network else None,
        )

    def _seen(self, running: Running) -> _Seen:
        pids = self._session.instances.pids(running)
        return _Seen(
            memory=self._session.instances.memory(running) if pids else None,
            tasks=self._meters.at(running.handle.address).thread_times(pids),
        )

    def _dropped_now(self) -> dict[str, tuple[str, int]]:
        """Each process that is loaded over UDP: its name, and how many datagrams its sockets
        dropped."""
        found: dict[str, tuple[str, int]] = {}
        for each in self._session.running:
            if each.handle.protocol in OVER_UDP:
                drops = self._meters.at(each.handle.address).udp_drops(each.handle.port)
                found |= {} if drops is None else {each.key: (each.entry.name, drops)}
        return found

    def _written_now(self) -> dict[str, Written]:
        """Bytes written by loaded processes; a log is shared by all processes of a contender."""
        sizes = {
            each.entry.name: self._meters.at(each.handle.address).written(each.handle)
            for each in self._session.running
        }
        return {name: written for name, written in sizes.items() if written}

    def _conduct(self, running: Running, before: _Seen, after: _Seen) -> Conduct:
        """The intended session and cores of a process that isn't ours are unknown.

        A container is meant to be in a session of its own.
        """
        ours = running.entry.attached is None
        return process_changes(
            before.tasks,
            after.tasks,
            self._meters.at(running.handle.address).placement(after.tasks),
            running.handle.pid if ours and not running.handle.cpu.also else None,
            running.handle.cpus if ours else (),
        )


def _at_work(crew: Crew) -> tuple[int, int]:
    return crew.processes_at_work, crew.threads_at_work


def _mean(several: Sequence[Memory]) -> Memory:
    """The memory of one process, with those that it forked."""
    return Memory(
        pss_mib=fmean(each.pss_mib for each in several),
        processes=max(each.processes for each in several),
    )


def _together(several: Sequence[Conduct]) -> Conduct:
    strayed: Mapping[int, None] = {cpu: None for each in several for cpu in each.strayed}
    return Conduct(
        escaped=max(each.escaped for each in several),
        ended=sum(each.ended for each in several),
        began=sum(each.began for each in several),
        strayed=tuple(sorted(strayed)),
    )
