"""Findings on a contender's day."""

from collections.abc import Mapping

from bakeoff.model.findings.row import Row

DAY: Mapping[str, Row] = {
    "keeps_up": Row(
        "at {level:.0%} of its peak it answers all requests, {held:.0%} of its peak",
        more="With more connections it does more than at what was taken for its peak.",
        example={"held": 1.5},
    ),
    "answers_late": Row(
        "at {level:.0%} of its peak it queues requests, and answers {held:.0%} of its peak[; half "
        "of the requests wait for {p50_us:duration} or longer]"
    ),
    "queues_in_memory": Row(
        "at {level:.0%} of its peak it queues requests in memory ({mib:mib} instead of "
        "{mib_at_peak:mib}), and answers {held:.0%} of its peak[; half of the requests wait for "
        "{p50_us:duration} or longer]"
    ),
    "sheds": Row(
        "at {level:.0%} of its peak it rejects requests with another status (<{kinds:words} "
        "{shares:percent}> of the requests), and answers {held:.0%} of its peak",
        example={"kinds": ["status", "timeout"]},
    ),
    "refuses": Row(
        "at {level:.0%} of its peak it refuses connections (<{kinds:words} {shares:percent}> of "
        "the requests), and answers {held:.0%} of its peak",
        example={"kinds": ["refused", "timeout"]},
    ),
    "drops": Row(
        "at {level:.0%} of its peak it drops open connections (<{kinds:words} {shares:percent}> of "
        "the requests), and answers {held:.0%} of its peak"
    ),
    "slows_beyond": Row(
        "at {level:.0%} of its peak it slows down, and answers {held:.0%} of its peak (at most "
        "{high:.0%})",
        example={"high": 0.86},
    ),
    "uneven": Row(
        "at {level:.0%} of its peak some requests wait far longer than others: p50 is "
        "{p50_us:duration}, p99 {p99_us:duration}"
    ),
    "overflows_beyond": Row(
        "at {level:.0%} of its peak its listen queue was full: {overflows:# connection} per round "
        "had to be tried again"
    ),
    "times_out": Row(
        "at {level:.0%} of its peak {share:.1%} of the requests time out, and it answers "
        "{held:.0%} of its peak"
    ),
    "collapses": Row(
        "at {level:.0%} of its peak it collapses, and answers {held:.0%} of its peak[ "
        "(<{kinds:words} {shares:percent}> of the requests)]",
        example={"held": 0.2},
    ),
    "dies_beyond": Row("at {level:.0%} of its peak it died in {n:# round}: {how}"),
    "died_in_phase": Row(
        "it died in {phase:called} in {n:# round}, and began the next phase as a new process: {how}"
    ),
    "missed_phase": Row("it was out of {phase:called} in {n:# round}: {how}"),
    "out_of_phase": Row("it was out in {n:# round}: {reason}"),
    "not_seen": Row("it can't be measured"),
    "below_step": Row("the difference is less than {step_ms:g} ms, the resolution"),
    "generator_at_peak": Row(
        "the load generator was busy {client_busy:.0%} of the time at its peak, so the peak is a "
        "lower bound, and levels are shares of that"
    ),
    "upstream_at_peak": Row(
        "the upstream was busy {upstream_busy:.0%} of the time at its peak, so the peak is a lower "
        "bound"
    ),
    "not_recovered": Row(
        "in {n:# round} its latency had not recovered by the end of the observation window"
    ),
    "cuts_slow_clients": Row("it closed the connections of slow clients: {n} of {asked} were left"),
    "blocked_by_slow_clients": Row(
        "slow clients block it: beside {n} of them it answered {share:.0%} of the other requests"
    ),
    "few_day_rounds": Row(
        "{n:# round} fitted into its time, and a ratio needs {least}: starts and waits took longer "
        "than planned; use -d {needed_s:.0f}",
        example={"least": 4},
    ),
    "no_energy": Row(
        "this machine does not count its processors' energy (RAPL), or not for this user, so there "
        "is no energy per request"
    ),
}
"""About a day: phases, from cold start to recovery."""
