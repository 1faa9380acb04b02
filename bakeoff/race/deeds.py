"""What contenders run, write and hold while they are loaded, beside their answers."""

from bakeoff.measure import Tasks, conduct, crew
from bakeoff.model.audit import Conduct, Crew, Written
from bakeoff.model.samples import BootEnd, TcpTrouble
from bakeoff.race.up import Running, Up


class Deeds:
    """Looks when it is made, which is after the warm-up, and again before the boot ends.

    What a program does to come up to speed (compiling, reading files) is not what it does for a
    request.
    """

    def __init__(self, up: Up) -> None:
        self._up = up
        self._stages = up.setting.stages
        self._warmed = up.loaded_memory()
        self._tasks = {one.entry.name: self._tasks_of(one) for one in up.running}
        self._written = {one.entry.name: self._stages.written(one.handle) for one in up.running}
        self._tcp = self._stages.tcp()
        self._began_ns = self._stages.now_ns()

    def end(self) -> BootEnd:
        """The boot's end, as far as it can be seen while its contenders are up."""
        lasted_s = (self._stages.now_ns() - self._began_ns) / 1e9
        tcp, tasks = self._tcp_since(), {o.entry.name: self._tasks_of(o) for o in self._up.running}
        return BootEnd(
            boot=self._up.boot,
            loaded=self._up.loaded_memory(),
            stopped=(),
            crews=self._crews(tasks),
            written=self._grown(),
            conducts={
                one.entry.name: self._conduct(one, tasks[one.entry.name])
                for one in self._up.running
                if tasks[one.entry.name]
            },
            warmed=self._warmed,
            lasted_s=lasted_s,
            tcp=tcp,
        )

    def _tasks_of(self, one: Running) -> Tasks:
        return self._stages.tasks(self._up.pids(one.handle))

    def _crews(self, tasks: dict[str, Tasks]) -> dict[str, Crew]:
        """Who has worked since; only of contenders whose processes can be seen."""
        found = {name: crew(self._tasks[name], now) for name, now in tasks.items()}
        return {name: each for name, each in found.items() if each}

    def _conduct(self, one: Running, tasks: Tasks) -> Conduct:
        """Of what isn't ours nobody knows which session and which cores were meant for it."""
        ours = one.entry.attached is None
        return conduct(
            self._tasks[one.entry.name],
            tasks,
            self._stages.places(tasks),
            one.handle.pid if ours else None,
            one.handle.cpus if ours else (),
        )

    def _grown(self) -> dict[str, Written]:
        """By how much logs and scratch folders have grown; a file that was cut counts as zero."""
        grown: dict[str, Written] = {}
        for one in self._up.running:
            before = self._written[one.entry.name]
            after = self._stages.written(one.handle)
            if before and after:
                grown[one.entry.name] = Written(
                    log_bytes=max(0, after.log_bytes - before.log_bytes),
                    scratch_bytes=max(0, after.scratch_bytes - before.scratch_bytes),
                )
        return grown

    def _tcp_since(self) -> TcpTrouble | None:
        now = self._stages.tcp()
        return now.since(self._tcp) if now and self._tcp else None
