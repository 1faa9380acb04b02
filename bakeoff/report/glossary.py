"""The words of a report, explained."""

GLOSSARY = (
    (
        "ratio",
        "A contender's requests per second over the reference's: 1.72× means 1.72 times as many.",
    ),
    ("interval", "Where the true ratio lies, at 95 % for all intervals of the race together."),
    ("rank 1–2", "The best and the worst place that a contender may have, given the intervals."),
    (
        "letters",
        "Contenders that share one can't be told apart. That is not the same as being equal."
        " a–d is short for a, b, c and d.",
    ),
    (
        "equivalent",
        "Shown to be within the margin, which is a stronger thing to say than “can't tell”.",
    ),
    (
        "detectable difference",
        "What would have been seen with a chance of 80 %. More blocks make it smaller.",
    ),
    (
        "twin, noise floor",
        "A second copy of the reference, raced like any other. What it differs by is noise.",
    ),
    ("slice", "A short time in which one contender is loaded while the others stand by."),
    (
        "block",
        "One slice for each contender, in random order. Ratios are taken within a block, where"
        " all met the same weather.",
    ),
    ("boot", "All contenders are started anew: processes of one program differ."),
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
