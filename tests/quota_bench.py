"""What a share of a core does to ratios: `python -m tests.quota_bench --out FILE`, as root.

Where the generator is the limit of fast servers, they could be given less of their core, all of
them the same, so that they are the limit again. Whether their ratio is then still their ratio is
asked here: catalogue contenders are raced in pairs with their whole core and with shares of it (a
CPU quota with a period of 2 ms, the control group's own), in rounds of random order. Where the
server is the limit of both with the whole core, every share has to give the same ratio. Quiet
machine, please, with the cpu controller of control groups in version 1.

docs/EVIDENCE.md (a share of a core) has what came out.
"""

import argparse
import json
import os
import random
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import bakeoff
from bakeoff.installation import engine_version
from bakeoff.measure import machine
from bakeoff.model.base import Contract
from tests.judge_bench import live

CATALOGUE = Path(__file__).parents[1] / "catalogue" / "contenders"
CPU = Path("/sys/fs/cgroup/cpu")
PERIOD_US = 2000
SHARES = (1.0, 0.75, 0.5)
PAIRS = (("libuv-http-parser", "nginx"), ("go-nethttp", "nginx"), ("node-http", "nginx"))
IN_GROUP = "sh -c 'echo 0 > {group}/cgroup.procs && exec \"$@\"' quota "


class Raced(Contract):
    """`a` over `b` with a share of the core each, and how busy servers and generator were then."""

    a: str
    b: str
    share: float
    ratio: float
    low: float | None
    high: float | None
    cpu_ratio: float | None
    server_busy: tuple[float, ...]
    client_busy: tuple[float, ...]


@contextmanager
def group(share: float) -> Iterator[Path]:
    """A control group that gets a share of a core; removed when nothing runs in it."""
    made = CPU / f"bakeoff-quota-{os.getpid()}"
    made.mkdir()
    try:
        (made / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        quota_us = -1 if share == 1 else round(share * PERIOD_US)
        (made / "cpu.cfs_quota_us").write_text(str(quota_us))
        yield made
    finally:
        made.rmdir()


def copied(name: str, into: Path, where: Path) -> Path:
    """A copy of a contender that starts itself in the group `into`.

    All of a race share the group's quota: only one of them is loaded at a time.
    """
    folder = where / name
    shutil.copytree(CATALOGUE / name, folder, ignore=shutil.ignore_patterns(".out"))
    file = folder / "contender.toml"
    before, run, after = file.read_text().partition("\n[run]\n")
    wrapped = re.sub(
        r'^command = "(.*)"$',
        lambda found: f"command = '''{IN_GROUP.format(group=into)}{found[1]}'''",
        after,
        count=1,
        flags=re.MULTILINE,
    )
    assert wrapped != after, f"{file}: its command is not one line"
    file.write_text(before + run + wrapped)
    return folder


def raced(a: str, b: str, share: float, duration_s: float) -> Raced:
    """One race of a pair. Raises `RaceFailed`."""
    with TemporaryDirectory() as scratch, group(share) as into:
        where = Path(scratch)
        # The first is the reference.
        words = [str(copied(name, into, where)) for name in (b, a)]
        verdict, _ = live.race(words, duration_s, where)
    pair = verdict.pair(a, b)
    assert pair, "a ratio"
    entries = [each for name in (a, b) if (each := verdict.entry(name))]
    return Raced(
        a=a,
        b=b,
        share=share,
        ratio=pair.ratio.ratio,
        low=pair.ratio.low,
        high=pair.ratio.high,
        cpu_ratio=pair.cpu_ratio.ratio if pair.cpu_ratio else None,
        server_busy=tuple(each.server_busy or 0 for each in entries),
        client_busy=tuple(each.client_busy or 0 for each in entries),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="quota-bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--duration", type=float, default=16.0, help="of each race, s (16)")
    parser.add_argument("--out", type=Path, required=True, help="write the record there, as JSON")
    chosen = parser.parse_args()
    if not (CPU / "cpu.cfs_quota_us").exists() or os.geteuid():
        sys.exit("it takes root, and the cpu controller of control groups in version 1")
    races = [(pair, share) for pair in PAIRS for share in SHARES] * chosen.rounds
    random.shuffle(races)
    found = []
    for (a, b), share in races:
        found.append(raced(a, b, share, chosen.duration))
        print(found[-1].to_json(), file=sys.stderr, flush=True)
    record = {
        "what": "what a share of a core does to ratios: python -m tests.quota_bench",
        "machine": machine(engine=engine_version(), bakeoff=bakeoff.__version__).model_dump(),
        "period_us": PERIOD_US,
        "races": [each.model_dump() for each in found],
    }
    chosen.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
