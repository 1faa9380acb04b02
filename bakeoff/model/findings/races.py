"""Findings on a whole race, on its machine and on its load generators."""

from collections.abc import Mapping

from bakeoff.model.findings.row import Row

REQUESTS: Mapping[str, Row] = {
    "request_differs": Row(
        "for the request {request}, {name} has {ratio,low,high:interval} the speed of "
        "{other}[{singly:, with one request in flight at a time}][; over all requests it has "
        "{whole_ratio:times}]",
        more="In this request of the mix the two differ in another way than in most requests.",
    )
}
"""The requests of a mix in which entries disagree."""


RACES: Mapping[str, Row] = {
    "cores_shared": Row(
        "servers and load generator share cores: a server that uses more CPU time slows its own "
        "load, and the limit can't be told",
        advice="give each side its own cores with --cpus",
    ),
    "workers_crowded": Row(
        "{workers:# worker} per server shared {cores:# server core}",
        advice="use as many --workers as there are server cores",
    ),
    "cut_short": Row(
        "the race was cut short{time_was_up: at its time limit}: the verdict "
        "rests on what was measured until then",
        advice="measure the rest with: bakeoff resume",
    ),
    "boots_missing": Row(
        "only {n} of {planned} boots were measured", advice="measure the rest with: bakeoff resume"
    ),
    "one_boot": Row(
        "there was one boot, so the intervals hold for these processes and connections only: they "
        "don't include how much two starts of a program differ",
        advice="use more --boots",
    ),
    "one_process": Row(
        "the intervals of {names:who} rest on one process each: they don't include how much "
        "another start would differ",
        advice="use more --boots; restart what runs at a URL, and race it again",
    ),
    "few_processes": Row(
        "only {n} processes of {names:who} were sampled, or a few more, so the intervals are wide",
        advice="use more --instances",
    ),
    "few_boots": Row(
        "only {n} boots were sampled, so the intervals are wide",
        advice="use more --boots, or one boot with more draws, whose intervals hold for that boot",
    ),
    "warm_up_short": Row(
        "no contender was warmed up for more than {longest_s:.3g} s, which may be too short for a "
        "program with a JIT compiler",
        advice="run it longer (-d), or set --warm-up",
    ),
    "host_steal": Row(
        "the host took {share:.1%} of the cores' time away (steal)",
        advice="choose a quieter time or machine",
    ),
    "listen_queue_full": Row(
        "{overflows:# connection} met a full listen queue, over all servers of this machine: such "
        "a client waits for 1 s or more before it tries again",
        advice="raise net.core.somaxconn and the server's backlog, or use fewer connections (-c)",
    ),
    "tracking_full": Row(
        "connection tracking (nf_conntrack) dropped {dropped_packets:# packet} on this machine, "
        "most often because its table is full: new connections to any server then fail, or wait "
        "for 1 s or more",
        advice="raise net.netfilter.nf_conntrack_max, or don't track loopback",
        more="`sudo iptables -t raw -A OUTPUT -o lo -j NOTRACK` leaves loopback untracked.",
    ),
    "segments_resent": Row(
        "the network lost segments (<{shares:.2%} of the {sides} node's>), and each one sent again "
        "delays a request by 200 ms or more",
        advice="fix the network, or compare tail latencies with care",
        example={"shares": [0.002, 0.0005]},
    ),
    "path_full": Row(
        "the path was the limit: its process was busy {busy:.0%} of the time[, and "
        "{overrun:# packet} found its queue full]: servers may be faster than measured",
        advice="use fewer connections (-c), or give it a core of its own (--cpus)",
    ),
    "path_late": Row(
        "the path held packets longer than planned: 1 % of them by {late_us:ms} or more, in the "
        "worst draw",
        advice="give it a core of its own (--cpus), or let nothing else run",
    ),
    "network_full": Row(
        "the network may be the limit of {names:listed}: in one direction their traffic took "
        "{shares:max .0%} of the {carried_bytes_per_s:mbit} that one connection carried before",
        advice="use a faster network, or smaller requests and answers",
        example={"shares": [0.97, 0.4]},
    ),
    "fewer_connections": Row(
        "the race had {connections:# connection}, fewer than usual: more would overflow short "
        "listen queues (<{names:who}: {places}>)",
        advice="set -c to have more; contenders that can't take them are then out",
    ),
    "fewer_served": Row(
        "the race had {connections:# connection}, fewer than usual: some servers serve only a few "
        "at a time, and all others wait until one of these is closed (<{names:who}: {served}>)",
        advice="give them more workers or threads, or race with --close",
    ),
    "blocks_left_out": Row(
        "{n:,} of {blocks:,} blocks are left out, as a whole or in part, because the host or other "
        "processes took over {limit_share:.0%} of the cores' time, or because the host moved the "
        "cores[; with them the ratios are <{names:who} {ratios:.3g} ({lows:.3g} to {highs:.3g})>]",
        advice="nothing to do: the ratios are those of the other blocks",
        example={"limit_share": 0.05},
    ),
    "blocks_kept": Row(
        "{n:,} of {blocks:,} blocks were disturbed (the host or other processes took over "
        "{limit_share:.0%} of the cores' time, the host moved the cores, or the load generators "
        "did not load together) and still count, because fewer than {least} others would be left",
        advice="run it longer (-d), or choose a quieter time or machine",
        example={"limit_share": 0.05},
    ),
    "cores_moved": Row(
        "the host moved the cores of servers and generator: in {n:,} of {blocks:,} blocks a line "
        "of the cache took {trip_ns:.0f} ns from one to the other and back, in most "
        "{usual_trip_ns:.0f} ns; the figures are those of most blocks",
        advice="compare runs at one distance of the cores; on the host, pin the machine's cores",
    ),
    "state_unseen": Row(
        "the time that other processes took on the cores of the {unseen:listed} could not be read "
        "for single slices (the kernel lacks schedstat or cpuacct), so none is left out for it"
        "[; of the servers' cores they had {share:.0%}]",
        advice="let nothing else run",
        example={"share": 0.31},
    ),
    "cpu_sources_differ": Row(
        "the contenders' CPU time was read in different ways (<{names:who}: {sources}>)",
        advice="compare it with care",
    ),
    "core_restless": Row(
        "the servers' core changed its speed (a fixed piece of work took {quick_us:.0f} µs at most "
        "before a tenth of the slices, {slow_us:.0f} µs at least before another), so the intervals "
        "of unlike contenders are wider than their draws say",
        advice="choose a quieter time or machine; races of several hours show what to expect",
    ),
    "feels_machine": Row(
        "the ratio of {name} to {other} by server CPU depends on the machine's state: where a "
        "fixed piece of work takes 10 % longer, it is {slope:slower} ({slope_low:slower} to "
        "{slope_high:slower}); in the quietest quarter of the draws, in which that work took "
        "{work_us:.0f} µs, it was {quiet,quiet_low,quiet_high:interval}",
        advice="compare its ratios of equally quiet hours only",
    ),
    "speed_changed": Row(
        "in {n:# earlier race} in this setting the servers' core had another speed (a fixed piece "
        "of work took {earlier_us:.0f} µs, now {fixed_work_us:.0f} µs), which alone changes the "
        "ratios of unlike contenders, so nothing is predicted from there",
        advice="compare races at one speed; a processor of another kind and other work on the host "
        "change it",
    ),
    "twin_differs": Row(
        "two copies of {name} differ: their ratio is {ratio,low,high:interval}, so a difference "
        "smaller than {low,high:doubt} is in doubt",
        advice="use more --boots",
    ),
    "machines_differ": Row(
        "the machines differ: {contender} on {machine} has {ratio,low,high:interval} its speed on "
        "{over}; ratios are taken within a machine, but figures of one contender are means over "
        "all machines",
        advice="nothing to do; for figures of one machine omit --server-nodes",
    ),
    "reference_replaced": Row(
        "the reference is {chosen} instead of {planned} ({because})",
        advice="name another with --reference",
        because="died",
        example={"planned": "api-v1"},
    ),
    "no_noise_floor": Row(
        "there is no noise floor: {because}",
        advice="run it longer (-d), or use more --boots",
        more="The twin, a second copy of the reference, has no figure that counts.",
        because="few_twin_blocks",
    ),
    "few_twin_blocks": Row("fewer than {least} blocks have both the twin and its original"),
    "not_confirmed": Row(
        "not confirmed: the solo race was not measured", advice="race again with --confirm"
    ),
    "solo_cut_short": Row(
        "the solo race that confirms the verdict ended early",
        advice="measure the rest with: bakeoff resume",
    ),
}
"""About a whole race."""


LOADERS: Mapping[str, Row] = {
    "loader_lost": Row(
        "the load generator {loader} was lost, and the race went on with the others: {how}",
        advice="find out why it ended; bakeoff resume uses it again",
    ),
    "loaders_apart": Row(
        "{n:,} of {blocks:,} blocks are left out because the load generators did not load "
        "together[: {because}]",
        advice="nothing to do: the ratios are those of the other blocks",
        because="loader_late",
    ),
    "loader_late": Row(
        "the load generator {loader} began late in {n:,} of its {slices:,} slices",
        advice="let nothing else run on that machine, or omit it",
    ),
    "loader_clock_jumped": Row(
        "the clock of the load generator {loader} jumped {n:# time} in {slices:# slice}",
        advice="make sure that the machine is not suspended or moved, or omit it",
    ),
    "loader_stolen": Row(
        "the host of the load generator {loader} took its cores away in {n:,} of its {slices:,} "
        "slices",
        advice="use a quieter machine for it, or omit it",
    ),
    "loader_lags": Row(
        "the load generator {loader} sent far later than the others in {n:,} of its {slices:,} "
        "slices",
        advice="let nothing else run on that machine, or omit it",
    ),
    "loader_lossy": Row(
        "the load generator {loader} lost {missing:,} of its {attempts:,} requests, far more than "
        "the others",
        advice="check its network and its log, or omit it",
    ),
    "loader_tail": Row(
        "the p99 of the load generator {loader} is {value_us:ms}, and {others_us:ms} for the "
        "others: its network loses or delays segments",
        advice="check its network, or omit it",
    ),
    "loader_slow": Row(
        "each connection of the load generator {loader} got {share:.0%} of the answers that a "
        "connection of the others got",
        advice="check its network and its cores, or omit it",
        example={"share": 0.4},
    ),
    "loader_limit": Row(
        "the load generator {loader} was at its limit, busy {client_busy:.0%} of the time; the "
        "load generators together were not",
        advice="give it more cores or fewer connections",
    ),
    "loader_clock_coarse": Row(
        "the clock of the load generator {loader} is known to {error_us:,.0f} µs, and the limit "
        "for slices of this length is {most_us:,.0f} µs",
        advice="use longer slices, or a network with shorter round trips",
    ),
}
"""About several load generators."""


SHARED: Mapping[str, Row] = {
    "several": Row(
        "{names:who}: {because}",
        more="These contenders have the same warning; `because` has the one of each.",
        because="killed",
    ),
    "host_hides_limits": Row(
        "the host took {share:.1%} of the cores' time away (steal), so the limit of {names:who} "
        "can't be told",
        advice="choose a quieter time or machine",
    ),
    "machine_changed": Row(
        "the machine's speed changed: in boot {boot:nth}, after {after_share:.0%} of it, "
        "{names:who} had {after_ratio:.2f} times their throughput before",
        advice="nothing to do: ratios are taken side by side",
    ),
    "machine_stood_still": Row(
        "the machine stalled now and then[, for about {length_us:ms}], and {names:who} with it",
        advice="let nothing else run, or choose a quieter machine",
    ),
}
"""Findings that several contenders share."""
