"""Causes of the difference in CPU time per request, and of their absence."""

from collections.abc import Mapping

from bakeoff.model.findings.row import Row

CAUSES: Mapping[str, Row] = {
    "costs_differ": Row(
        "{name} spends {us_more:us_more} CPU time per {unit} than {other} ({us_low:+.2f} to "
        "{us_high:+.2f} µs)[: {because}]",
        more="What follows has intervals that exclude 0, the largest first, four at most; the "
        "report has all lines.",
        because="in_call",
    ),
    "costs_alike": Row(
        "{name} and {other} spend the same CPU time per {unit}, as far as can be told: the "
        "difference is {us_low:+.2f} to {us_high:+.2f} µs, {us_more:+.2f} at best[. Yet {because}]",
        because="in_function",
    ),
    "in_spite": Row(
        "in spite of {because}",
        more="What the one that spends more CPU time spends less on, or the other way round.",
        because="in_call",
    ),
    "in_call": Row(
        "{us_more:us_more} in the system call {call}[ ({calls_more:count_more} calls)]",
        more="The time is the kernel's, without waiting.",
    ),
    "in_waking": Row(
        "{us_more:us_more} in the system call {call}, which is called as often, with "
        "{switches_more:count_more} context switches",
        more="Answers are equally long, too: a thread that wakes up finds cold caches.",
    ),
    "calls_more": Row(
        "{calls_more:count_more} calls of {call}",
        more="Its CPU time can't be told from nothing.",
    ),
    "in_function": Row(
        "{us_more:us_more} in {function}",
        more="User time while the function itself was at work, without those that it called.",
    ),
    "in_package": Row(
        "{us_more:us_more} in small functions of {package}",
        more="User time of its functions that have no line of their own, added up.",
    ),
    "in_scheduling": Row(
        "{us_more:us_more} in scheduling and wake-ups[ ({switches_more:count_more} context "
        "switches)]"
    ),
    "in_page_faults": Row("{us_more:us_more} in page faults[ ({faults_more:count_more} faults)]"),
    "in_work": Row("{us_more:us_more} in {work:called}"),
    "in_mode": Row("{us_more:us_more} of {mode} time"),
    "in_nothing_seen": Row(
        "{us_more:us_more} unexplained",
        more="The samples don't have it: plain blocks and sampled blocks differ by so much.",
    ),
    "held_up": Row(
        "{name} is held up by something other than its CPU time: at its own peak it serves "
        "{peak_per_s:,.0f} {unit}s/s on {cores_used:.1f} cores, {other} {other_peak_per_s:,.0f} on "
        "{other_cores_used:.1f}[; {because}]",
        more="Requests gather while it waits, so at one rate it wakes up less often for each of "
        "them. What it spends less on scheduling for that reason is not named as a cause.",
        because="in_wait",
    ),
    "in_wait": Row(
        "its threads spend {share:percent} of their time {wait:called}, the other's "
        "{other_share:percent}",
        more="Shares of the time of threads at work, at their peaks.",
    ),
    "functions_unnamed": Row(
        "{share:percent} of {name}'s user time has no function's name, most of it in {file}",
        advice="install debug symbols, or build it unstripped",
    ),
    "compiled_unnamed": Row(
        "{share:percent} of {name}'s user time has no function's name, most of it in code that was "
        "compiled at run time",
        advice="let bakeoff start it; or start Node with --perf-basic-prof-only-functions",
        more="Programs that compile while they run have to write down the names for perf.",
    ),
    "callers_unknown": Row(
        "in {share:percent} of {name}'s user time the stack ends at the function itself",
        advice="build it with -fno-omit-frame-pointer",
        more="The functions' own time is right; the flame graph doesn't have who called them.",
    ),
    "no_perf": Row(
        "perf is not installed", advice="install linux-perf, which Ubuntu has in linux-tools"
    ),
    "profiler_refused": Row(
        "the kernel lets only root sample programs (kernel.perf_event_paranoid is {paranoid})",
        advice="run as root, or sudo sysctl kernel.perf_event_paranoid=1",
    ),
    "kernel_refused": Row(
        "the kernel lets only root see its own functions (kernel.perf_event_paranoid is "
        "{paranoid})",
        advice="run as root, or sudo sysctl kernel.perf_event_paranoid=1",
    ),
    "profiler_fails": Row("the profiler failed: {failure}"),
    "no_tracer": Row(
        "nothing can count system calls here: strace is missing or may not trace, and perf may not "
        "use tracepoints",
        advice="install strace, or run as root",
    ),
    "no_counters": Row(
        "this machine has no hardware counters, like most virtual machines",
        advice="run it on a machine whose processor's counters can be seen",
    ),
    "no_waits": Row("the kernel doesn't say what threads wait for (/proc/PID/wchan and schedstat)"),
    "not_ours": Row(
        "its processes belong to the user {user}, and only root may look into them",
        advice="run bakeoff as root",
    ),
    "servers_elsewhere": Row("the contenders run on other machines"),
}
