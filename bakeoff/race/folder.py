"""A run as a folder: every finished part is on disk before the next one begins."""

import os
from collections.abc import Mapping, Sequence
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import IO

from pydantic import ConfigDict, TypeAdapter, ValidationError

from bakeoff.model.base import Contract
from bakeoff.model.errors import BadFile, BadUsage
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import RECORD, Record
from bakeoff.model.verdict import Verdict

_RECEIPTS: TypeAdapter[dict[str, Receipt]] = TypeAdapter(
    dict[str, Receipt], config=ConfigDict(defer_build=True)
)


class RunFolder:
    """`runs/<UTC time>-<slug>/`: plan, receipts, machine, samples, verdict, reports and logs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._samples: IO[bytes] | None = None
        self._records: list[Record] | None = None

    @classmethod
    def create(cls, path: Path) -> "RunFolder":
        """A new folder at `path`. Raises `BadUsage`."""
        try:
            (path / "logs").mkdir(parents=True)
        except OSError as error:
            raise cannot_be_made(path, error) from None
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> "RunFolder":
        """A folder that an earlier race left. Raises `BadUsage` where it is none."""
        if not path.is_dir():
            raise BadUsage(f"{path}: there is no such run folder; runs are in ./runs, see --out")
        if not (path / "plan.json").exists():
            raise BadUsage(f"{path}: is no run folder: it has no plan.json")
        return cls(path.resolve())

    def lock(self) -> None:
        """Be the only one who adds to this run. Raises `BadUsage` where another does."""
        try:
            self._samples = (self.path / "samples.jsonl").open("ab")
        except OSError as error:
            raise BadUsage(f"{self.path}: can't be written: {error.strerror}") from None
        try:
            flock(self._samples, LOCK_EX | LOCK_NB)
        except OSError:
            raise BadUsage(f"{self.path}: another bakeoff is still racing there") from None
        # Until now another could add to them.
        self._records = None

    def add(self, record: Record) -> None:
        """Append one record, whole, before anything else happens."""
        assert self._samples
        # What an interrupt leaves of this is found out from the file.
        before, self._records = self._records, None
        self._samples.write(record.to_json().encode() + b"\n")
        self._samples.flush()
        if before is not None:
            before.append(record)
        self._records = before

    def records(self) -> list[Record]:
        """All whole records. A last line that a kill cut off is no record. Raises `BadFile`.

        They are read once: those of thirty contenders take a second.
        """
        if self._records is None:
            self._records = self._read()
        return self._records.copy()

    def _read(self) -> list[Record]:
        path = self.path / "samples.jsonl"
        records = []
        for number, line in enumerate(whole_lines(path), start=1):
            try:
                records.append(RECORD.validate_json(line))
            except ValidationError as error:
                fault = error.errors()[0]
                key = ".".join(map(str, fault["loc"]))
                raise BadFile(f"{path}:{number}", key, f"is wrong: {fault['msg']}") from None
        return records

    def cut_torn_line(self) -> None:
        """Drop what a kill left of an unfinished record, so that the next one starts a line."""
        assert self._samples
        data = (self.path / "samples.jsonl").read_bytes()
        self._samples.truncate(data.rfind(b"\n") + 1)

    def keep(self, name: str, contract: Contract) -> None:
        """Write one JSON file, all of it or nothing."""
        self._write(name, contract.to_json())

    def keep_receipts(self, receipts: Mapping[str, Receipt]) -> None:
        """Write receipts.json."""
        self._write("receipts.json", _RECEIPTS.dump_json(dict(receipts)).decode())

    def plan(self) -> Plan:
        """plan.json. Raises `BadFile`."""
        return Plan.read_json(self.path / "plan.json")

    def machine(self) -> Machine:
        """machine.json. Raises `BadFile`."""
        return Machine.read_json(self.path / "machine.json")

    def verdict(self) -> Verdict:
        """verdict.json. Raises `BadFile`."""
        return Verdict.read_json(self.path / "verdict.json")

    def receipts(self) -> dict[str, Receipt]:
        """receipts.json. Raises `BadFile`."""
        path = self.path / "receipts.json"
        try:
            return _RECEIPTS.validate_json(path.read_bytes())
        except OSError as error:
            raise BadFile(path, None, f"cannot be read: {error.strerror}") from None
        except ValidationError as error:
            raise BadFile.from_validation(path, Receipt, error) from None

    def log(self, name: str, boot: int) -> Path:
        """Where the output of one contender of one boot goes."""
        safe = "".join(each if each.isalnum() or each in "._-" else "-" for each in name)
        return self.path / "logs" / f"{safe}-boot{boot}.log"

    def close(self) -> None:
        """Let go of the lock; idempotent."""
        if self._samples:
            self._samples.close()
            self._samples = None

    def _write(self, name: str, text: str) -> None:
        write_whole(self.path / name, text)


def run_verdict(path: Path) -> tuple[Verdict, dict[str, Receipt]]:
    """What was judged in a run folder, or of a verdict.json alone, and the receipts that are there.

    Raises `BadUsage`.
    """
    if path.is_file():
        return Verdict.read_json(path), {}
    folder = RunFolder.open(path)
    if not (path / "verdict.json").exists():
        raise BadUsage(f"{path}: has no verdict yet; `bakeoff report {path}` makes one")
    return folder.verdict(), folder.receipts()


def cannot_be_made(path: Path, error: OSError) -> BadUsage:
    """That the folder of a run can't be made, and why."""
    return BadUsage(f"--out {path.parent}: {path} can't be made: {error.strerror}")


def whole_lines(path: Path) -> list[bytes]:
    """The lines of a file, none where there is no file; a last one that a kill cut off is none."""
    try:
        return path.read_bytes().split(b"\n")[:-1]
    except FileNotFoundError:
        return []


def write_whole(path: Path, text: str) -> None:
    """Write a file, all of it or nothing. Raises OSError."""
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(text)
    temporary.replace(path)


def point_latest_at(path: Path) -> None:
    """Make `latest`, beside the run at `path`, lead to it. Raises `BadUsage`."""
    latest = path.parent / f".latest-{os.getpid()}"
    try:
        latest.symlink_to(path.name)
        latest.replace(path.parent / "latest")
    except OSError as error:
        raise BadUsage(f"--out {path.parent}: can't be written to: {error.strerror}") from None


def measured_s(records: Sequence[Record]) -> float:
    """The measured seconds in all blocks of `records`."""
    return sum(
        one.event.window_ns / 1e9
        for record in records
        if record.type == "block"
        for one in record.slices
    )
