"""What earlier runs have shown of programs, kept by what was built and how it is asked.

A program that is built of the same sources by the same tools, is started in the same way and gets
the same requests treats a connection as it did: its audit takes 1.2 s, for a Date that moves.
"""

import hashlib
import json
import os
import platform
from contextlib import suppress
from pathlib import Path

from bakeoff.installation import cache_folder
from bakeoff.model.errors import BadFile, ContenderOut
from bakeoff.model.history import Program
from bakeoff.model.plan import Entry, Plan
from bakeoff.model.receipt import Receipt


class Programs:
    """A file for each in `folder`, by default in the user's cache. One that can't be read or
    written is as if it weren't there."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or cache_folder() / "programs"

    def program(self, key: str) -> Program:
        """What is known of one; nothing, where it is new."""
        try:
            return Program.read_json(self._folder / key)
        except BadFile:
            return Program()

    def keep_program(self, key: str, program: Program) -> None:
        """Keep what is known of one."""
        draft = self._folder / f".{key}-{os.getpid()}"
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            draft.write_text(program.to_json())
            draft.replace(self._folder / key)


def program_key(plan: Plan, entry: Entry, built: Receipt | ContenderOut | None) -> str | None:
    """The same for the same program under the same requests; None for a command, whose sources
    nobody names, and for what wasn't `built`."""
    if not isinstance(built, Receipt) or not entry.contender or entry.origin == "command":
        return None
    given = (
        platform.release(),
        built.model_dump(include={"source_sha256", "version", "tools", "commands"}),
        entry.contender.model_dump(mode="json"),
        plan.workload.model_dump(mode="json"),
        plan.protocol_of(entry.name),
        plan.workers_of(entry.name),
        plan.connection,
        plan.probes,
    )
    return hashlib.sha256(json.dumps(given).encode()).hexdigest()
