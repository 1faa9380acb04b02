"""Reasons for missing figures, and findings on two runs, on a line of runs, and on a search."""

from collections.abc import Mapping

from bakeoff.model.findings.row import Row

NO_FIGURE: Mapping[str, Row] = {
    "not_valid": Row("{name} is not valid: {because}", because="died"),
    "absent": Row("{name} did not take part: {reason}"),
    "few_paired_blocks": Row("too few blocks have both sides"),
    "few_pairs": Row(
        "only {n} {what}[ ({failure})] have both sides, and a claim needs {least}; use a larger "
        "--scale"
    ),
    "few_blocks_side_by_side": Row("too few blocks have both sides; use a larger --scale"),
    "generator_in_latency": Row(
        "the load generator was the limit of {name}, so a part of the latency is its own"
    ),
    "cpu_not_compared": Row(
        "the CPU time of the whole machine is not compared: the load generator's is in it"
    ),
    "not_read": Row("{metric} is not read while a load tool makes the load"),
    "comparison_missing": Row("its comparison was not measured"),
    "tool_and_engine": Row(
        "{row}: {tool} and the engine can't be compared: {because}", because="few_rounds"
    ),
    "few_rounds": Row(
        "only {n:# round} {n:has|have} this figure of both, and a comparison needs {least}"
    ),
    "wrk_corrects": Row("wrk adds waiting that it did not measure (its “correction”)"),
    "tool_full": Row(
        "{loader} had its core busy {share:percent} of the time, and was the limit of its own "
        "figures",
        example={"loader": "oha", "share": 0.98},
    ),
    "tools_full": Row(
        "both had their core busy ({loader} {share:percent} of the time, {other_loader} "
        "{other_share:percent}), and each was the limit of its own figures",
        example={"loader": "oha", "share": 0.98, "other_share": 0.95},
    ),
    "tools_not_full": Row(
        "neither had its core busy all the time ({loader} {share:percent}, {other_loader} "
        "{other_share:percent}), so the limit was outside them: the server, or what "
        "shared their core",
        example={"loader": "oha", "share": 0.6},
    ),
    "coarse": Row("{loader} prints no finer than {step_us:duration}", example={"loader": "ab"}),
    "text": Row("{text}", more="These are words of an article, a tool or an earlier version."),
}
"""Why a ratio, a gate or a claim is missing."""


RUNS: Mapping[str, Row] = {
    "in_run": Row("{run}: {because}", because="few_blocks"),
    "is_reference": Row("it is the reference, whose own change can't be measured"),
    "only_one_in_both": Row(
        "it is the only contender in both runs, so its change is that of absolute throughput, "
        "which includes the machine's drift"
    ),
    "few_run_blocks": Row("too few blocks of {run} have both it and {reference}"),
    "machine_differs": Row(
        "{key}: {before} and {after}", example={"before": "6.12", "after": "6.18"}
    ),
    "run_not_valid": Row("{run}: its verdict is not valid"),
    "run_cut_short": Row("{run}: it ended early"),
    "engines_differ": Row(
        "the load engine is {before} in the earlier run and {after} in the later one, which may be "
        "a part of every change"
    ),
    "distances_differ": Row(
        "the cores of servers and generator were at another distance ({before_ns:.0f} ns from core "
        "to core and back in the earlier run, {after_ns:.0f} ns in the later one), which alone "
        "changes the ratios of unlike contenders"
    ),
    "speeds_differ": Row(
        "the servers' core had another speed (a fixed piece of work took {before_us:.0f} µs in the "
        "earlier run, {after_us:.0f} µs in the later one), which alone changes the ratios of "
        "unlike contenders"
    ),
    "reference_unknown": Row(
        "the reference {reference} may differ between the runs, as its version is not known; if it "
        "changed, its change is in every ratio"
    ),
    "reference_version": Row(
        "the reference {reference} is {before} in the earlier run and {after} in the later one: "
        "this change is in every ratio"
    ),
    "reference_sources": Row(
        "the reference {reference} has other sources in the later run: this change is in every "
        "ratio"
    ),
    "slice_kinds_differ": Row(
        "{name}: long slices count in one run and short slices in the other, which may be a part "
        "of its change"
    ),
}
"""About two runs."""


STEPS: Mapping[str, Row] = {
    "version_changed": Row("version {before} before, {after} after"),
    "sources_changed": Row("its sources or settings changed"),
    "surroundings_changed": Row(
        "{key}: {before} before, {after} after", example={"before": "6.12", "after": "6.18"}
    ),
    "nothing_changed": Row("nothing that is recorded changed"),
}
"""About a step of a line over time."""

"""About two revisions."""


CAPACITIES: Mapping[str, Row] = {
    "search_cut_short": Row("the run ended early, so its intervals are wider than planned"),
    "cores_shared_by_search": Row(
        "servers and load generator share a core, so capacities are those of the two together"
    ),
    "server_cores": Row("the servers had {cores:# core}"),
    "blocks_disturbed": Row(
        "{n} of {blocks} blocks are left out, as a whole or in part, because the host took the "
        "cores away or moved them, or because other processes had them"
    ),
    "one_boot_of_search": Row(
        "there was one boot, so the capacities hold for these processes and connections only; use "
        "more --boots"
    ),
    "generator_busy_at_capacity": Row(
        "the load generator was busy {client_busy:.0%} of the time at its capacity, which may be "
        "higher"
    ),
}
"""About capacities."""
