"""The words of a report, explained."""

GLOSSARY = (
    (
        "ratio",
        "A contender's requests per second over the reference's: 1.72× means 1.72 times as many.",
    ),
    (
        "interval",
        "Where the true ratio lies, at 95 % for all intervals of the race together, in this hour of"
        " this machine.",
    ),
    (
        "next race",
        "Where a race of the same length is expected on another day, at 95 % for each pair by"
        " itself: from what earlier races in the history differ by. It is wider than the interval.",
    ),
    (
        "≥ 3.4×, ≤ 0.3×",
        "At least 3.4 times, at most 0.3 times: the load generator was the limit of the contender,"
        " or of the one that it is compared with, which did at least what was measured. Where it"
        " was the limit of both, nobody can tell.",
    ),
    (
        "in the mean",
        "The ratio of mean speeds: what all requests took, those that waited in a pause with them."
        " The other ratio is that of typical slices, and has nothing of what is rare.",
    ),
    (
        "by server CPU",
        "How many times as many requests a server answers per second of its own CPU time. It says"
        " what a server costs where the generator hides how fast it is; it is not how fast it is."
        " On loopback the kernel bills a part of the receiver's work to the sender.",
    ),
    ("rank 1–2", "The best and the worst place that a contender may have, given the intervals."),
    (
        "letters",
        "Contenders that share one can't be told apart, by rank or by server CPU per request. That"
        " is not the same as being equal."
        " a–d is short for a, b, c and d.",
    ),
    (
        "equivalent",
        "Shown to be within the margin, which is a stronger thing to say than “can't tell”.",
    ),
    (
        "detectable difference",
        "A true difference of this size is found in four of five such races, and missed in the"
        " fifth. More boots and blocks make it smaller.",
    ),
    (
        "twin, noise floor",
        "A second copy of the reference, raced like any other. What it differs by is noise: where"
        " the two differ by more than chance, a smaller difference than the farther end of their"
        " interval is in doubt.",
    ),
    ("slice", "A short time in which one contender is loaded while the others are idle."),
    (
        "block",
        "One slice for each contender, in random order. Ratios are taken within a block, where"
        " all had the machine in the same state.",
    ),
    ("boot", "All contenders are started again: processes of one program differ."),
    (
        "unequal work",
        "What one contender does and another doesn't, such as a header or a log line. It is part"
        " of what the ratio shows.",
    ),
    (
        "closed loop",
        "Each connection sends its next request after the answer to the last one: full load, and"
        " latency at full load.",
    ),
    (
        "open loop",
        "Requests are due by a schedule that doesn't care how the server does; latency runs from"
        " when a request was due.",
    ),
    ("p99", "99 % of the requests were answered within this time."),
    (
        "softirq, steal",
        "The kernel's time for packets; time that the hypervisor gave to somebody else.",
    ),
    ("Pss", "Memory of a process in which pages shared with others count by their share."),
)
