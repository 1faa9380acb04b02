"""What contenders run and write while they are loaded, beside their answers."""

from bakeoff.measure import crew
from bakeoff.model.audit import Crew, Written
from bakeoff.race.up import Up


class Deeds:
    """Looks when it is made, which is after the warm-up, and again before the boot ends.

    What a program does to come up to speed (compiling, reading files) is not what it does for a
    request.
    """

    def __init__(self, up: Up) -> None:
        self._up = up
        self._stages = up.setting.stages
        self._tasks = {
            one.entry.name: self._stages.tasks(up.pids(one.handle)) for one in up.running
        }
        self._written = {one.entry.name: self._stages.written(one.handle) for one in up.running}

    def crews(self) -> dict[str, Crew]:
        """Who has worked since; only of contenders whose processes can be seen."""
        found = {
            one.entry.name: crew(
                self._tasks[one.entry.name], self._stages.tasks(self._up.pids(one.handle))
            )
            for one in self._up.running
        }
        return {name: each for name, each in found.items() if each}

    def written(self) -> dict[str, Written]:
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
