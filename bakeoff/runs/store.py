"""A run's folder: whole files, and a log to which one process appends."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from errno import EEXIST
from pathlib import Path
from typing import IO

from pydantic import ConfigDict, TypeAdapter, ValidationError

from bakeoff import __version__
from bakeoff.keeper.ledger import sync_folder
from bakeoff.model.base import Contract
from bakeoff.model.errors import NO_ROOM, BadFile, BadUsage
from bakeoff.model.machine import Machine
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import RECORD, Record
from bakeoff.runs.holder import holding

PLAN_FILE = "plan.json"
SYNC_EVERY_NS = 1_000_000_000
"""Milliseconds of a disk's sync affect no figure if they come once a second and between blocks."""
_RECEIPTS: TypeAdapter[dict[str, Receipt]] = TypeAdapter(
    dict[str, Receipt], config=ConfigDict(defer_build=True)
)


class Store:
    """The folder of one run: plan, receipts, machine, result, and the log `samples.jsonl`.

    After `kill -9` the folder has every appended record, and each file whole: the last line of the
    log may be torn, and is dropped. After a power cut the same holds, except that records of the
    last second of a boot under way may be missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log: IO[bytes] | None = None
        self._records: list[Record] | None = None
        self._now_ns: Callable[[], int] = time.monotonic_ns
        self._synced_ns = 0

    @classmethod
    def create(
        cls, path: Path, plan: str, machine: Machine, receipts: Mapping[str, Receipt] | None
    ) -> "Store":
        """A new folder at `path`, whose `plan` (JSON) is written last. Raises `BadUsage`."""
        store = cls(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            # Without a plan it is left by a kill while a folder was being made.
            if (path / PLAN_FILE).exists():
                raise FileExistsError(EEXIST, os.strerror(EEXIST))
            if receipts is not None:
                store._keep("receipts.json", _RECEIPTS.dump_json(dict(receipts)).decode())
            store.keep("machine.json", machine)
            store._keep(PLAN_FILE, plan)
            sync_folder(path.parent)
        except OSError as error:
            if error.errno in NO_ROOM:
                raise
            reason = f"{path} can't be made: {error.strerror}"
            raise BadUsage(f"--out {path.parent}: {reason}") from None
        return store

    @contextmanager
    def locked(self, now_ns: Callable[[], int] = time.monotonic_ns) -> Iterator[None]:
        """Be the only process that appends. Raises `BadUsage` where another process does.

        An unfinished record that a kill left is cut off, so that the next one starts a line.
        """
        from filelock import FileLock, Timeout

        lock = FileLock(self.path / ".lock", timeout=0)
        try:
            lock.acquire()
            self._log = (self.path / "samples.jsonl").open("ab")
        except Timeout:
            raise BadUsage(f"{self.path}: another bakeoff is still racing there") from None
        except OSError as error:
            lock.release()
            if error.errno in NO_ROOM:
                raise
            raise BadUsage(f"{self.path}: can't be written: {error.strerror}") from None
        try:
            # Until now another process could append.
            self._records, self._now_ns = None, now_ns
            data = (self.path / "samples.jsonl").read_bytes()
            self._log.truncate(data.rfind(b"\n") + 1)
            sync_folder(self.path)
            with holding(self.path):
                yield
            self._sync()
        finally:
            log, self._log = self._log, None
            # On a full disk closing fails as the write did, which is reported already.
            with suppress(OSError):
                log.close()
            lock.release()

    def append(self, record: Record) -> None:
        """Append one record, whole. Called between slices, never within one."""
        assert self._log, "append needs `locked`"
        # After an interrupt in the middle, the file shows how far this came.
        before, self._records = self._records, None
        self._log.write(record.to_json().encode() + b"\n")
        self._log.flush()
        if record.type == "boot-end" or self._now_ns() - self._synced_ns >= SYNC_EVERY_NS:
            self._sync()
        if before is not None:
            before.append(record)
        self._records = before

    def records(self) -> Sequence[Record]:
        """All whole records of the log. Raises `BadFile`.

        They are read once: those of thirty contenders take a second.
        """
        if self._records is None:
            self._records = self._read()
        return self._records.copy()

    def keep(self, name: str, contract: Contract) -> None:
        """Write one JSON file, all of it or nothing. Raises OSError."""
        self._keep(name, contract.to_json())

    def machine(self) -> Machine:
        return Machine.read_json(self.path / "machine.json")

    def receipts(self) -> dict[str, Receipt]:
        path = self.path / "receipts.json"
        try:
            return _RECEIPTS.validate_json(path.read_bytes())
        except OSError as error:
            raise BadFile(path, None, f"can't be read: {error.strerror}") from None
        except ValidationError as error:
            raise BadFile.from_validation(path, Receipt, error) from None

    def _read(self) -> list[Record]:
        path = self.path / "samples.jsonl"
        # A kill cut off the content after the last line's end.
        lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        records = []
        for number, line in enumerate(lines, start=1):
            try:
                records.append(RECORD.validate_json(line))
            except ValidationError as error:
                raise _bad_record(f"{path}:{number}", error) from None
        return records

    def _sync(self) -> None:
        assert self._log
        os.fdatasync(self._log.fileno())
        self._synced_ns = self._now_ns()

    def _keep(self, name: str, text: str) -> None:
        draft = self.path / f".{name}.tmp"
        with draft.open("w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path / name)
        sync_folder(self.path)


def _bad_record(where: str, error: ValidationError) -> BadFile:
    fault = error.errors()[0]
    if fault["type"] == "json_invalid":
        return BadFile(where, None, "is not JSON: the file was changed after the run")
    if fault["type"] == "union_tag_invalid":
        tag = fault["ctx"]["tag"]
        return BadFile(
            where, "type", f"is {tag!r}, a record that bakeoff {__version__} doesn't know"
        )
    return BadFile.from_validation(where, Contract, error)
