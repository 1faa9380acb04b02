"""The words of reports, explorer and documents: `python -m bakeoff.report.glossary FILE` writes
them as a page."""

import sys
from pathlib import Path

FIRST = {
    "contender, reference": "A server in a race. The first one is the reference: each ratio is a"
    " contender's figure over the reference's.",
    "entry": "A contender in one setting.",
    "generator, workload": "Our load engine; what it sends, and which answers are right.",
    "slice": "A short time in which one contender is loaded while the others are idle.",
    "block": "One slice of each contender, in random order. Ratios are taken within a block, where"
    " all had the machine in the same state.",
    "draw": "About a second of blocks over one set of connections, with new processes where these"
    " start soon.",
    "boot": "All contenders are started, warmed up, measured and ended: processes of one program"
    " differ. A race has one boot by default.",
    "twin": "A second copy of the reference, raced like any other contender.",
    "interval": "Where a true ratio lies, in this hour of this machine, at 95 % for all intervals"
    " of the race together.",
    "weather": "The machine's speed, which changes from moment to moment.",
    "steal": "Processor time that the host gave to another virtual machine.",
    "Pss": "A process's memory, in which a page that n processes share counts as 1/n.",
    "audit": "A look at each server's work before the load.",
    "standings": "The ranked table of contenders.",
}
"""Terms that a reader of HOW-IT-WORKS must know first."""
GLOSSARY = FIRST | {
    "ratio": "A contender's requests per second over the reference's: 1.72× means 1.72 times as"
    " many.",
    "noise floor": "What the twin differs by from the reference: noise. Where the two differ by"
    " more than chance, a smaller difference than the farther end of their interval is in doubt.",
    "next race": "Where a race of the same length is expected on another day, at 95 % for each pair"
    " by itself: from what earlier races in the history differ by. It is wider than the interval.",
    "≥ 3.4×, ≤ 0.3×": "At least 3.4 times, at most 0.3 times, a lower or upper bound: the load"
    " generator was the limit of the contender, or of the one that it is compared with, which did"
    " at least what was measured. Where it was the limit of both, the difference is unknown.",
    "in the mean": "The ratio of mean speeds: what all requests took, those that waited in a pause"
    " with them. The other ratio is that of typical slices, and has nothing of what is rare.",
    "by server CPU": "How many times as many requests a server answers per second of its own CPU"
    " time. It says what a server costs where the generator hides how fast it is; it is not how"
    " fast it is. On loopback the kernel bills a part of the receiver's work to the sender.",
    "rank 1–2": "The best and the worst place that a contender may have, given the intervals.",
    "letters": "Contenders that share one can't be told apart, by rank or by server CPU per"
    " request. That is not the same as being equal. a–d is short for a, b, c and d.",
    "inconclusive, can't tell": "The interval has 1 in it: the difference may be chance.",
    "equivalent": "Shown to be within the margin, which is a stronger thing to say than “can't"
    " tell”.",
    "detectable difference": "A true difference of this size is found in four of five such races,"
    " and missed in the fifth. More boots and blocks make it smaller.",
    "gate": "A condition on ratios, such as new >= 0.98 * old: it holds, fails, or is"
    " inconclusive.",
    "upstream": "A server behind the contenders that they request, or their database.",
    "unequal work": "What one contender does and another doesn't, such as a header or a log line."
    " It is part of what the ratio shows.",
    "closed loop": "Each connection sends its next request after the answer to the last one: full"
    " load, and latency at full load.",
    "open loop": "Requests are due by a schedule that doesn't care how the server does; latency"
    " runs from when a request was due.",
    "p99": "99 % of the requests were answered within this time.",
    "softirq": "The kernel's time for packets.",
}


def page() -> str:
    head = "# Glossary\n\n`make schemas` writes this page from `bakeoff/report/glossary.py`.\n"
    return "\n".join([head, *(f"## {word}\n\n{meaning}\n" for word, meaning in GLOSSARY.items())])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page())
