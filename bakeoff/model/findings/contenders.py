"""Findings on a contender in a race."""

from collections.abc import Mapping

from bakeoff.model.findings.row import Row

INVALID: Mapping[str, Row] = {
    "not_measured": Row("it was not measured: the run ended before its first slice"),
    "died": Row("{how}", more="Its processes ended, or did not start again. See its log."),
    "no_answers": Row(
        "it answered no request", more="Send it a request by hand while it runs, and see its log."
    ),
    "few_connections": Row(
        "only {opened} of {connections} connections could be opened",
        more="Use fewer connections (-c), or raise the server's limit of open files.",
    ),
    "wrong_answers": Row(
        "{wrong:,} of {attempts:,} answers were wrong[; the first: {first_bad}]",
        more="Their status, body or header was not the one that the workload expects.",
    ),
    "answered_twice": Row("it sent more than one answer to a request: {detail}"),
    "not_taken": Row(
        "{n:# answer} lacked a value that later requests of the connection need[; the first: "
        "{detail}]",
        more="The workload takes this value from an answer (`take`), such as a token.",
        example={"detail": "no /token"},
    ),
    "unanswered": Row(
        "{missing:,} of {attempts:,} requests ({missing,attempts:share}) got no answer "
        "(<{counts:,} {kinds:words}>)[{broken_off:; an answer was cut off}]"
        "[; the kernel dropped {dropped:# connection} to servers of this machine]"
        "; the limit is {limit_share:.1%}",
        more="Use fewer connections (-c), or give the server a longer listen queue.",
    ),
    "port_closed": Row(
        "its process runs, but no longer listens on port {port}",
        more="See its log: its supervisor may have started it again in another way.",
    ),
    "left_cores": Row(
        "it ran on {strayed:core|cores} {strayed:listed}, outside the {cpus:core|cores} "
        "{cpus:listed} that it was given",
        more="A server that sets its own CPU affinity takes time from the others; turn that off.",
    ),
    "rate_not_answered": Row(
        "it answered {answered_share:.1%} of the {rate:,.0f} requests per second that were sent, "
        "and {least:.0%} is required",
        more="Choose a lower --rate; `bakeoff capacity` finds the highest one.",
        example={"least": 0.99},
    ),
}
"""Why a contender's figures don't count."""


LOWER_BOUNDS: Mapping[str, Row] = {
    "generator_limit": Row(
        "the load generator was the limit: it was busy {client_busy:.0%} of the time[ on its core "
        "{client_core}], and the server's cores only {server_busy:.0%}, so the figures are lower "
        "bounds",
        more="Give the load generator more cores (--cpus), or compare by server CPU, which holds.",
    ),
    "upstream_limit": Row(
        "the upstream was the limit: it was busy {upstream_busy:.0%} of the time, the load "
        "generator {client_busy:.0%} and the server's cores only {server_busy:.0%}, so the figures "
        "are lower bounds",
        more="Give the server fewer cores with --cpus, or compare by server CPU, which holds.",
    ),
    "generator_slow": Row(
        "requests spent {share:.0%} of the time in the load generator, where {limit_share:.0%} is "
        "the limit: {in_flight:.1f} were in flight on average, over {connections:# connection} "
        "with up to {pipeline:# request} each; the figures are lower bounds",
        more="Give the load generator more cores with --cpus, or use fewer connections (-c).",
        example={"limit_share": 0.03},
    ),
    "generator_late": Row(
        "the load generator was late: one request in a hundred left {lag_us:,.0f} µs or more after "
        "it was due, and the limit is {most_us:,.0f} µs; latencies include this delay, so the "
        "server is at least this fast",
        more="Let nothing else run, or choose a lower --rate.",
    ),
}
"""Why a contender did at least what was measured."""


ENTRIES: Mapping[str, Row] = {
    "processes_lost": Row(
        "it lost {n:# process|processes} during the measurement, and went on with others; the "
        "first: {how}",
        several="{names:who} lost {n:sum} processes during the measurement, and went on with "
        "others; the first: {how:one}",
        advice="see the run's log",
    ),
    "out_in_boots": Row(
        "it was out in {n} of {boots} boots; in boot {boot:nth}: {reason}",
        several="{names:who} were out in some boots: {reason:one}",
        advice="see the run's log, or race it alone",
    ),
    "few_unanswered": Row(
        "{missing:,} of {attempts:,} requests ({missing,attempts:share}) got no answer "
        "(<{counts:,} {kinds:words}>)[{broken_off:; an answer was cut off}]"
        "[; the kernel dropped {dropped:# connection} to servers of this machine]",
        several="{names:who} left {missing:sum} of {attempts:sum} requests without an answer",
        advice="use fewer connections (-c)",
    ),
    "drains": Row(
        "its slices took {measured_s:.0f} s, and answers after their ends {drained_s:.0f} s more",
        several="{names:who} took longer to answer after the ends of slices than in them",
        advice="use fewer connections (-c)",
    ),
    "connections_closed": Row(
        "it closed keep-alive connections: {reopened:,} were opened again for {attempts:,} "
        "requests",
        several="{names:who} closed keep-alive connections: {reopened:sum} were opened again for "
        "{attempts:sum} requests",
        advice="turn off its limit of requests per connection, or race with --close",
    ),
    "idle_connections_closed": Row(
        "it closed {closed:# idle connection} between its turns, and they were opened again",
        several="{names:who} closed {closed:sum} idle connections between their turns, and they "
        "were opened again",
        advice="nothing to do: opening them was not timed",
    ),
    "datagrams_dropped": Row(
        "{datagrams:# datagram} of {datagrams_carried:,} met a full receive buffer while it was "
        "loaded[, {datagrams_at_server:,} of them at its own sockets], and what they carried was "
        "sent again",
        several="{datagrams:sum} datagrams of {datagrams_carried:sum} met a full receive buffer "
        "while {names:who} were loaded[, {datagrams_at_server:sum} of them at the servers' own "
        "sockets], and what they carried was sent again",
        advice="raise net.core.rmem_max and let the server request a larger buffer, or use fewer "
        "connections or streams",
    ),
    "quic_packets_lost": Row(
        "{packets:# packet} of {packets_sent:,} that were sent to it on loopback counted as lost, "
        "and what they carried was sent again",
        several="{packets:sum} packets of {packets_sent:sum} that were sent to {names:who} on "
        "loopback counted as lost, and what they carried was sent again",
        advice="let nothing else run, or use fewer connections: an acknowledgement that comes late "
        "is taken for a loss",
    ),
    "handshakes_retried": Row(
        "it answered {retries:# handshake} with a Retry, each of which took one more round trip",
        several="{names:who} answered {retries:sum} handshakes with a Retry, each of which took "
        "one more round trip",
        advice="turn off its check of addresses, or compare it with servers that check them",
    ),
    "unsteady_warm_up": Row(
        "its warm-up reached no steady state in {n} of {boots} boots, so its figures may still "
        "have been changing",
        several="the warm-ups of {names:who} reached no steady state in {n:to} of their boots, so "
        "their figures may still have been changing",
        advice="use a longer warm-up: --warm-up 60s",
    ),
    "slower_in_warm_up": Row(
        "it became slower during its warm-up in {n} of {boots} boots: in boot {boot:nth} from "
        "{peak_per_s:,.0f} to {now_per_s:,.0f} requests/s",
        several="{names:who} became slower during their warm-ups, in {n:to} of their boots",
        advice="use a longer warm-up, --warm-up 60s, and see whether it continues",
    ),
    "cpu_leak": Row(
        "it used {share:.1%} of the server cores' time during the turns of others",
        several="{names:who} used {share:to .1%} of the server cores' time during the turns of "
        "others",
        advice="race with --solo to see what it does alone",
        more="It works in the background, such as garbage collection, and slows the others down.",
    ),
    "held_in_turns": Row(
        "it used {share:.1%} of the server cores' time during the turns of others, and was stopped "
        "(SIGSTOP) in these from then on, so its background work takes place in its own turns",
        several="{names:who} used {share:to .1%} of the server cores' time during the turns of "
        "others, and were stopped (SIGSTOP) in these from then on, so their background work takes "
        "place in their own turns",
        advice="race with --solo to see what it does alone",
    ),
    "server_unseen": Row(
        "the load generator was busy {client_busy:.0%} of the time[ on its core {client_core}], "
        "and the server's CPU time can't be read: the load generator may have been the limit",
        several="the load generator was busy {client_busy:to .0%} of the time with {names:who}, "
        "whose CPU time can't be read: the load generator may have been the limit",
        advice="name the process behind the URL with --pid",
    ),
    "unseen_user": Row(
        "its process belongs to the user {user}, so its CPU time and memory can't be read",
        several="the processes of {names:who} belong to other users, so their CPU time and memory "
        "can't be read",
        advice="run bakeoff as root, or name the process with --pid",
    ),
    "unseen_host": Row(
        "its address isn't one of this machine, so its CPU time and memory can't be read",
        several="the addresses of {names:who} aren't of this machine, so their CPU time and memory "
        "can't be read",
        advice="run bakeoff as root where it is in a container of this machine",
    ),
    "unseen_self": Row(
        "it is served by bakeoff's own process, so its CPU time and memory can't be told apart",
        several="{names:who} are served by bakeoff's own process, so their CPU time and memory "
        "can't be told apart",
        advice="start it as a process of its own",
    ),
    "unseen_forwarded": Row(
        "its port is forwarded[ by {process}] to a process that bakeoff can't see, as one in a "
        "container, so its CPU time and memory can't be read",
        several="the ports of {names:who} are forwarded to processes that bakeoff can't see, as "
        "in containers, so their CPU time and memory can't be read",
        advice="name the server's own process with --pid",
    ),
    "generator_near_limit": Row(
        "the load generator was busy {client_busy:.0%} of the time[ on its core {client_core}] and "
        "the server {server_busy:.0%}: at moments the load generator was the limit, so the server "
        "may be faster than measured",
        several="the load generator was busy {client_busy:to .0%} of the time with {names:who}, "
        "which were busy {server_busy:to .0%}: at moments the load generator was the limit, so "
        "they may be faster than measured",
        advice="give the load generator more cores with --cpus, or use fewer connections (-c)",
    ),
    "limit_unknown": Row(
        "its limit is unknown: the server was busy {server_busy:.0%} of the time and the load "
        "generator {client_busy:.0%}[ on its core {client_core}]",
        several="the limit of {names:who} is unknown: the servers were busy {server_busy:to .0%} "
        "of the time and the load generator {client_busy:to .0%}",
        advice="let nothing else run, or use more connections (-c 256)",
        more="Neither was busy enough to be the limit: a lock, an upstream or the machine may have "
        "been.",
    ),
    "path_limit": Row(
        "the path is its limit: each request takes {delay_us:ms} on it at least, so there are "
        "{at_most_per_s:,.0f} a second at most",
        several="the path is the limit of {names:who}: each request takes {delay_us:to ms} on it "
        "at least, so there are {at_most_per_s:max ,.0f} a second at most",
        advice="use more connections (-c 1024), and compare latency and CPU time per request",
        more="Neither the server nor the load generator was busy.",
        example={"delay_us": 20_000.0},
    ),
    "stood_still": Row(
        "it stalled[ for about {length_us:ms}] in {times:,} of its {slices:,} slices: at least "
        "half of its connections waited at the same time",
        several="{names:who} stalled in {times:to} slices each: at least half of their connections "
        "waited at the same time",
        advice="look for garbage collections, locks or flushes in the server",
    ),
    "pauses_cost": Row(
        "pauses took {share:.1%} of its throughput ({share_low:.1%} to {share_high:.1%})"
        "[: {because}][; with them, its ratio to {reference} is {ratio,low,high:interval}]",
        several="pauses took {share:to .1%} of the throughput of {names:who}[: {because}]",
        advice="look for garbage collections, locks or flushes in the server",
        more="The share is what it lost beyond the others. Its ratio in the standings is that of "
        "typical slices, which have no pauses.",
    ),
    "silent_slices": Row(
        "{silent:,} of its {slices:,} slices passed without an answer",
        several="{names:who} had {silent:to} slices each without an answer",
        advice="use fewer connections (-c), or let nothing else run",
    ),
    "slower_while_measured": Row(
        "it became slower during the measurement: after {after_share:.0%} of its time in a boot "
        "it had {after_ratio:.0%} of its throughput before",
        several="{names:who} became slower during the measurement, to {after_ratio:to .0%} of "
        "their throughput before",
        advice="run it longer, -d 2m, and watch its memory and its log",
    ),
    "faster_while_measured": Row(
        "it became faster during the measurement: after {after_share:.0%} of its time in a boot it "
        "had {after_ratio:.2f} times its throughput before, so it was not warm yet",
        several="{names:who} became faster during the measurement, to {after_ratio:to .2f} times "
        "their throughput before, so they were not warm yet",
        advice="use a longer warm-up: --warm-up 60s",
        example={"after_ratio": 1.6},
    ),
    "cold_draws": Row(
        "its processes were not warm when they were measured: after the first third of each draw "
        "its speed was {ratio,low,high:interval} that in it",
        several="the processes of {names:who} were not warm when they were measured: after the "
        "first third of each draw their speed was {ratio:to .3f} times that in it",
        advice="give it processes that last: --instances 6",
        more="Its speed is compared with that of the others at the same time.",
    ),
    "workers_restarted": Row(
        "{ended:,} of its worker processes ended during the measurement, and {began:,} started",
        several="{ended:sum} worker processes of {names:who} ended during the measurement",
        advice="turn off its limit of requests per worker",
    ),
    "processes_escaped": Row(
        "it started {processes:# process|processes} that left its process group",
        several="{names:who} started processes that left their process groups",
        advice="nothing to do: bakeoff ended them, but their CPU time and memory may be missing",
        example={"processes": 2},
    ),
    "killed": Row(
        "it did not end after SIGTERM in {n} of {boots} boots, and was killed",
        several="{names:who} did not end after SIGTERM, and were killed",
        advice="nothing to do: the figures were taken before",
    ),
    "outlived_sigkill": Row(
        "its {pids:process|processes} {pids:listed} did not end after SIGKILL",
        several="processes of {names:who} did not end after SIGKILL",
        advice="restart the machine before you measure again",
    ),
    "memory_grew": Row(
        "its memory grew by {mib_per_s:.1f} MiB per second during the measurement, in one boot "
        "from {mib_before:.0f} to {mib_after:.0f} MiB",
        several="the memory of {names:who} grew by {mib_per_s:to .1f} MiB per second during the "
        "measurement",
        advice="run it longer, -d 2m, and see whether it continues",
    ),
    "verification": Row(
        "{text}",
        several="{names:who}, each: {text:one}",
        more="This was noticed when its answers were checked before the measurement.",
    ),
    "answers_count": Row(
        "its answers depend on earlier requests: {place} increases with each request "
        "({seen:listed})",
        several="the answers of {names:who} depend on earlier requests: {place:one} increases with "
        "each request",
        advice="make sure that the work for an answer does not grow with it",
    ),
    "answers_grow": Row(
        "its answers depend on earlier requests: each is longer than the one before "
        "({seen:listed} bytes)",
        several="the answers of {names:who} depend on earlier requests: each is longer than the "
        "one before",
        advice="reset its data before each start, or use a request that changes nothing",
    ),
    "answers_unlike": Row(
        "its answers differ from those of {reference}: {differences}",
        several="the answers of {names:who} differ from those of {reference:one}: "
        "{differences:one}",
        advice="check that both do the same work; --same-answers refuses such a race",
    ),
    "delayed_ack": Row(
        "half of its answers take {p50_us:ms} or more while its CPU is nearly idle: Nagle's "
        "algorithm waits for a delayed ACK",
        several="half of the answers of {names:who} take {p50_us:to ms} or more while their CPU is "
        "nearly idle: Nagle's algorithm waits for a delayed ACK",
        advice="set TCP_NODELAY, or send an answer in one write",
        example={"p50_us": 41_000.0},
    ),
    "packets_lost": Row(
        "{quantile} is {value_us:ms}, about TCP's minimum retransmission time of 200 ms: packets "
        "were lost[ (the kernel sent {retransmits:# segment} again, over all servers of this "
        "machine)]",
        several="{quantile:one} of {names:who} is {value_us:to ms}, about TCP's minimum "
        "retransmission time of 200 ms: packets were lost",
        advice="use fewer connections (-c)",
    ),
    "syn_repeated": Row(
        "{quantile} is {value_us:s}, about the time after which TCP sends a SYN again: its listen "
        "queue was full[ (the kernel dropped {dropped:# connection}, over all servers of this "
        "machine)]",
        several="{quantile:one} of {names:who} is {value_us:to s}, about the time after which TCP "
        "sends a SYN again: their listen queues were full",
        advice="give it a longer listen queue, or use fewer connections (-c)",
        example={"value_us": 1_020_000.0},
    ),
    "few_blocks": Row(
        "there are too few blocks for a ratio: it has {n} in common with {reference}, and a ratio "
        "needs {least}",
        several="there are too few blocks for the ratios of {names:who}: each has {n:to} in common "
        "with {reference:one}, and a ratio needs {least:to}",
        advice="run it longer (-d)",
    ),
    "few_draws": Row(
        "there are too few draws for a ratio to {reference} that holds whenever a race ends",
        several="there are too few draws for ratios of {names:who} to {reference:one} that hold "
        "whenever a race ends",
        advice="run it longer (-d), or to its end: bakeoff resume",
    ),
    "some_blocks": Row(
        "it took part in {n:,} of the {blocks:,} blocks of {reference}",
        several="{names:who} took part in {n:to ,} of the {blocks:to ,} blocks of {reference:one}",
        advice="nothing to do: the two are compared on these",
    ),
    "slice_length_matters": Row(
        "its ratio to {reference} depends on the length of a slice: in long slices[ ({long_ms} ms "
        "instead of {short_ms} ms)] it is {long_ratio,long_low,long_high:interval}, in short ones "
        "{short_ratio,short_low,short_high:interval}",
        several="the ratios of {names:who} to {reference:one} depend on the length of a slice: in "
        "long slices[ ({long_ms:to} ms instead of {short_ms:to} ms)] they are {long_ratio:to .3f}, "
        "in short ones {short_ratio:to .3f}",
        advice="nothing to do: the ratio in long slices counts",
    ),
    "solo_missing": Row(
        "not confirmed: it has no solo ratio to {reference}[ ({because})]",
        several="not confirmed: {names:who} have no solo ratios to {reference:one}[ ({because})]",
        advice="run it longer (-d)",
        more="Without a reason given, too few rounds have both.",
    ),
    "solo_differs": Row(
        "its ratio to {reference} is {ratio,low,high:interval} in turns and "
        "{solo_ratio,solo_low,solo_high:interval} solo, with one contender up at a time: they "
        "differ by more than chance",
        several="the ratios of {names:who} to {reference:one} are {ratio:to .3f} in turns and "
        "{solo_ratio:to .3f} solo, with one contender up at a time: they differ by more than "
        "chance",
        advice="use the solo ratio for servers under steady load",
    ),
}
"""Warnings about a contender's figures."""
