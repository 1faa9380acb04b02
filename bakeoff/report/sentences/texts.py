"""What each finding says."""

from collections.abc import Callable, Mapping

from bakeoff.report import figures
from bakeoff.report.sentences import wordings

SENTENCES: Mapping[str, str | Callable[..., str]] = {
    # All but `several`, whose sentence is that of `SEVERAL` for the warning that they share.
    # Why an entry's figures can't stand.
    "not_measured": "none of its slices was measured: the run ended before its turn",
    "died": "{how}",
    "no_answers": "it answered no request",
    "few_connections": "only {opened} of {connections} connections could be opened",
    "wrong_answers": "{wrong:,} of {attempts:,} answers were wrong[; the first: {first_bad}]",
    "answered_twice": "it answered twice: {detail}",
    "not_taken": "{n:# answer} lacked what the connection's later requests carry"
    "[; the first: {detail}]",
    "unanswered": wordings.unanswered,
    "port_closed": "it no longer listens on port {port}, though its process lives",
    "left_cores": "it left its cores: it was given {cpus:core|cores} {cpus:listed} and let itself "
    "run on {strayed:core|cores} {strayed:listed} too",
    "rate_not_answered": "it answered {answered_share:.1%} of the {rate:,.0f} requests per second "
    "that it was offered; {least:.0%} is the least",
    # Why an entry did at least what was measured.
    "generator_limit": "the load generator was the limit, busy {client_busy:.0%} of the time"
    "[ on its core {client_core}], and the server's cores only {server_busy:.0%}: "
    "it is at least this fast",
    "upstream_limit": "whom it asks was the limit, busy {upstream_busy:.0%} of the time beside the "
    "load generator's {client_busy:.0%}, and the server's cores only {server_busy:.0%}: it is at "
    "least this fast",
    "generator_slow": wordings.generator_slow,
    "generator_late": "the load generator was late: one request in a hundred left {lag_us:,.0f} µs "
    "or more after it was due, and {most_us:,.0f} µs is the most; it is at least this prompt",
    # What casts a shadow on an entry's figures.
    "processes_lost": "it lost {n:# process} while it was measured, and went on with others; "
    "the first: {how}",
    "out_in_boots": "it was out in {n} of {boots} boots; in boot {boot:nth}: {reason}",
    "few_unanswered": wordings.unanswered,
    "connections_closed": "it closed connections though keep-alive was asked: {reopened:,} were "
    "opened anew for {attempts:,} requests",
    "idle_connections_closed": "it closed {closed:,} idle connections between its turns, and they "
    "were opened anew",
    "unsteady_warm_up": "its warm-up reached no steady state in {n} of {boots} boots: its figures "
    "may still have been changing",
    "slower_in_warm_up": "it got slower while it was warmed up, in {n} of {boots} boots: in boot "
    "{boot:nth} from {peak_per_s:,.0f} to {now_per_s:,.0f} requests/s",
    "cpu_leak": "it used {share:.1%} of the server's cores while others had their turn",
    "held_in_turns": "it used {share:.1%} of the server's cores while others had their turn, and "
    "was stopped there from then on: what it has to do besides answering is in its own turns",
    "server_unseen": "the load generator was busy {client_busy:.0%} of the time"
    "[ on its core {client_core}] and the server's CPU can't be seen: the generator may have "
    "been the limit",
    "generator_near_limit": wordings.generator_near_limit,
    "limit_unknown": "its limit is unknown: the server was busy {server_busy:.0%} of the time and "
    "the load generator {client_busy:.0%}[ on its core {client_core}]",
    "stood_still": "it stood still[ for about {length_us:ms}], in {times:,} of its {slices:,} "
    "slices: at least half of its connections waited together",
    "pauses_cost": "pauses took {share:.1%} of its throughput (between {share_low:.1%} and "
    "{share_high:.1%})[: {because}][; with them its ratio to {reference} is {ratio:.3f} ({low:.3f} "
    "to {high:.3f})]",
    "silent_slices": "{silent:,} of its {slices:,} slices passed without a single answer",
    "cold_draws": "its processes were not warm when they were measured: after the first third of "
    "each draw it was {ratio:.3f} times as fast as in it ({low:.3f} to {high:.3f})",
    "slower_while_measured": "it got slower while it was measured: after {after_share:.0%} of its "
    "time in a boot it had {after_ratio:.0%} of the throughput of before",
    "faster_while_measured": "it got faster while it was measured: after {after_share:.0%} of its "
    "time in a boot it had {after_ratio:.2f} times the throughput of before, so it was not warm "
    "yet",
    "workers_restarted": wordings.workers_restarted,
    "processes_escaped": "it started {processes} {processes:process|processes} that left its "
    "process group",
    "killed": "it did not end when asked to (SIGTERM) and was killed, in {n} of {boots} boots",
    "outlived_sigkill": "even SIGKILL did not end its {pids:process|processes} {pids:listed}",
    "memory_grew": "its memory grew by {mib_per_s:.1f} MiB a second while it was measured, in one "
    "boot from {mib_before:.0f} to {mib_after:.0f} MiB",
    "verification": "{text}",
    "answers_count": "its answers depend on what it was asked before: {place} goes on with each "
    "request ({seen:listed})",
    "answers_grow": "its answers depend on what it was asked before: each is longer than the one "
    "before ({seen:listed} bytes)",
    "answers_unlike": "its answers are not like those of {reference}: {differences}",
    "delayed_ack": "half of its answers take {p50_us:ms} or more while its CPU is nearly idle: "
    "Nagle's algorithm meets delayed ACK",
    "packets_lost": "{quantile} is {value_us:ms}, about TCP's minimum retransmission time of "
    "200 ms: packets were lost[ (the kernel sent {retransmits:,} segments again, over all servers "
    "of this machine)]",
    "syn_repeated": "{quantile} is {value_us:s}, about the time after which TCP repeats a SYN: its "
    f"listen queue was full[ ({wordings.DROPPED})]",
    "few_blocks": "too few blocks for a ratio: it and {reference} were measured side by side in "
    "{n}, and {least} are the least",
    "few_draws": "too few draws for a ratio to {reference} that holds whenever a race ends",
    "some_blocks": "it had its turn in {n:,} of the {blocks:,} blocks of {reference}",
    "slice_length_matters": "the length of a slice matters: against {reference}, in long slices"
    "[ ({long_ms} ms instead of {short_ms} ms)] the ratio is {long_ratio:.3f} ({long_low:.3f} to "
    "{long_high:.3f}), in short ones {short_ratio:.3f} ({short_low:.3f} to {short_high:.3f})",
    "solo_missing": lambda reference, because="": (
        "not confirmed: solo, " + (because or f"too few rounds have both it and {reference}")
    ),
    "solo_differs": "in turns and solo it is not the same: against {reference}, in turns the ratio "
    "is {ratio:.3f}[ ({low:.3f} to {high:.3f})], with one contender up at a time {solo_ratio:.3f}"
    "[ ({solo_low:.3f} to {solo_high:.3f})], which is more than chance",
    # About a whole race.
    "cores_shared": "servers and load generator share cores: a server that takes more CPU slows "
    "its own load, and which side was the limit can't be told",
    "workers_crowded": wordings.workers_crowded,
    "cut_short": "the race was cut short: this is the verdict on what was measured until then",
    "boots_missing": "only {n} of {planned} boots were measured",
    "one_boot": "one boot: how far two starts of these programs differ was not measured, so the "
    "intervals hold for these processes and connections only",
    "one_process": "the intervals of {names:who} rest on one process of each: they don't say how "
    "far another start would differ",
    "few_processes": "the intervals of {names:who} rest on {n} processes, or a few more: so few "
    "make them wide",
    "few_boots": "the intervals rest on {n} boots: so few make them wide",
    "warm_up_short": "no contender was warmed up for more than {longest_s:.3g} s: a program that "
    "compiles while it runs may not have come up to speed",
    "host_steal": "the host took {share:.1%} of the cores' time away (steal)",
    "listen_queue_full": "{overflows:,} connections met a full listen queue (counted over all "
    "servers of this machine): a client waits 1 s or more until it asks again",
    "segments_resent": wordings.segments_resent,
    "network_full": wordings.network_full,
    "fewer_connections": wordings.fewer_connections,
    "fewer_served": wordings.fewer_served,
    "blocks_left_out": wordings.blocks_left_out,
    "blocks_kept": "{n:,} of {blocks:,} blocks were disturbed (the host or other "
    "processes took over {limit_share:.0%} of the cores' time, or the load generators did not load "
    "together) and count all the same: fewer than {least} others would be left",
    "state_unseen": "whether other processes had the cores was not seen (schedstat and cpuacct "
    "say so where the kernel has them), so no block is left out for it",
    # About several load generators.
    "loader_lost": "the load generator {loader} was lost, and the race went on with the others: "
    "{how}",
    "loaders_apart": "{n:,} of {blocks:,} blocks were left out, in which the load generators did "
    "not load together as planned[: {because}]",
    "loader_late": "the load generator {loader} began late in {n:,} of its {slices:,} slices",
    "loader_clock_jumped": "the clock of the load generator {loader} jumped {n:,} times in its "
    "{slices:,} slices",
    "loader_stolen": "the host of the load generator {loader} took its cores away in {n:,} of its "
    "{slices:,} slices",
    "loader_lags": "the load generator {loader} sent far later than the others in {n:,} of its "
    "{slices:,} slices",
    "loader_lossy": "the load generator {loader} lost {missing:,} of its {attempts:,} requests, "
    "far more than the others",
    "loader_tail": "the p99 of the load generator {loader} is {value_us:ms} where that of the "
    "others is {others_us:ms}: its network loses or delays what it sends",
    "loader_slow": "each connection of the load generator {loader} had {share:.0%} of the answers "
    "that one of the others had",
    "loader_limit": "the load generator {loader} was at its limit, busy {client_busy:.0%} of the "
    "time, where all together were not",
    "loader_clock_coarse": "the clock of the load generator {loader} is known to {error_us:,.0f} "
    "µs, and {most_us:,.0f} µs is the most for slices of this length",
    "cpu_sources_differ": wordings.cpu_sources_differ,
    "feels_machine": wordings.feels_machine,
    "twin_differs": wordings.twin_differs,
    "machines_differ": "the machines differ: {contender} on {machine} over itself on {over} has "
    "the ratio {ratio:.3f} ({low:.3f} to {high:.3f}); ratios of contenders are taken within a "
    "machine, but their own figures are means over all of them",
    "request_differs": wordings.request_differs,
    "reference_replaced": "{planned} was to be the reference and could not be ({because}); "
    "{chosen} is instead",
    "no_noise_floor": "no noise floor: {because}",
    "few_twin_blocks": "fewer than {least} blocks have both the twin and its original",
    "not_confirmed": "not confirmed: the solo part was not measured",
    "solo_cut_short": "the solo part that was to confirm the race ended early",
    # What several contenders have in common.
    "host_hides_limits": "the host took {share:.1%} of the cores' time away (steal), so what "
    "limited {names:who} can't be seen",
    "machine_changed": "the machine changed: in boot {boot:nth}, after {after_share:.0%} of it, "
    "{names:who} had {after_ratio:.2f} times the throughput of before",
    "machine_stood_still": "the machine stood still[ for about {length_us:ms}] now and then, and "
    "{names:who} with it",
    # Where contenders' work is unequal.
    "answers_early": "{names:who} {names:answers|answer} before a request is complete: "
    "{names:it does|they do} not read it to its end",
    "few_at_work": wordings.few_at_work,
    "streams_capped": "{names:who} {names:admits|admit} {limits:listed} streams on a connection, "
    "fewer than the {streams} that were asked for: fewer of its requests were under way",
    "tls_versions_differ": wordings.unlike("they agreed on unlike versions of TLS", "versions"),
    "ciphers_differ": wordings.unlike("they agreed on unlike ciphers", "ciphers"),
    "keys_differ": wordings.unlike(
        "their certificates have unlike kinds of keys", "certificate_keys"
    ),
    "many_at_work": wordings.many_at_work,
    "logs": wordings.logs,
    "segments_differ": wordings.segments_differ,
    "nagle": "{names:who} {names:shows|show} the 40 ms of Nagle's algorithm meeting delayed "
    "acknowledgement: TCP_NODELAY is off",
    "no_keep_alive": "{names:who} {names:offers|offer} no keep-alive: each request pays for a "
    "connection of its own",
    "closes_soon": wordings.closes_soon,
    "stays_open": "{names:who} {names:leaves|leave} open what {names:it was|they were} asked to "
    "close",
    "no_date": "{names:who} {names:sends|send} no Date",
    "date_frozen": "the Date of {names:who} does not move",
    "bodies_differ": wordings.sizes_differ("bodies"),
    "heads_differ": wordings.sizes_differ("heads"),
    "headers_missing": wordings.headers_missing,
    "headers_further": wordings.headers_further,
    "hpack_differs": wordings.hpack_differs,
    "http2_settings_differ": wordings.unlike("HTTP/2's {setting} differs", "kept"),
    "no_resumption": "{names:who} {names:resumes|resume} no TLS session, the others do: with a new "
    "connection for each request that is a full handshake each",
    "no_alpn": "{names:who} {names:names|name} no protocol by ALPN, the others do",
    "no_http_1_0_keep_alive": "{names:who} {names:keeps|keep} no connection of an HTTP/1.0 client",
    # Where the second verdict, by server CPU, is another one, and why.
    "cpu_differs": wordings.cpu_differs,
    "limit_hides": wordings.limit_hides,
    "server_waited": "{name} was at work {server_busy:.0%} of the time and waited for the rest",
    "interval_too_wide": lambda by: (
        f"the interval by {wordings.COMPARED_BY[by]} is too wide to show it"
    ),
    "kernel_bills": wordings.kernel_bills,
    "calls_differ": wordings.calls_differ,
    "calls_unknown": "{n:# draw} do not say whether the two make the same calls; {least} are the "
    "least",
    "cause_unknown": "this race does not show why",
    # Why there is no ratio, gate or claim.
    "not_valid": "{name} is not valid: {because}",
    "absent": "{name} did not take part: {reason}",
    "few_paired_blocks": "too little was measured of both",
    "few_pairs": wordings.few_pairs,
    "few_blocks_side_by_side": "too few blocks were measured side by side; a larger --scale "
    "measures more",
    "generator_in_latency": "the load generator was the limit of {name}, so part of its latency is "
    "the generator's",
    "cpu_not_compared": "what the whole machine used is not compared: the generator is part of it",
    "not_read": "{metric} is not read while a tool makes the load",
    "comparison_missing": "its comparison was not measured",
    "tool_and_engine": "{row}: {tool} and engine can't be compared: {because}",
    "few_rounds": "{n} rounds have this figure of both, and {least} are the least",
    "wrk_corrects": "wrk adds waiting that it did not measure (it calls that a correction)",
    "coarse": lambda loader, step_us: f"{loader} prints no finer than {step_us / 1000:g} ms",
    "text": "{text}",
    # About a day.
    "keeps_up": "at {level:.0%} of its peak it still answers all of it, {held:.0%} of its peak: "
    "more connections got more out of it",
    "answers_late": wordings.answers_late,
    "queues_in_memory": wordings.queues_in_memory,
    "sheds": wordings.sheds,
    "refuses": wordings.refuses,
    "drops": wordings.drops,
    "sags": "at {level:.0%} of its peak it answers less than at its peak: {held:.0%} of it, "
    "{high:.0%} at most",
    "uneven": "at {level:.0%} of its peak some wait far longer within it than others: half of them "
    "for {p50_us:ms} at most, one in a hundred for {p99_us:ms} or longer",
    "door_full": "at {level:.0%} of its peak its listen queue was full: {overflows:,} connections "
    "in a round had to ask again",
    "times_out": "at {level:.0%} of its peak it lets {share:.1%} of the requests time out; it "
    "answers {held:.0%} of its peak",
    "collapses": wordings.collapses,
    "dies_beyond": "at {level:.0%} of its peak it died, in {n:# round}: {how}",
    "died_in_phase": lambda phase, n, how: (
        f"it died in {wordings.PHASES[phase]}, in {figures.plural(n, 'round')}, and began the next "
        f"phase as a new process: {how}"
    ),
    "missed_phase": lambda phase, n, how: (
        f"out of {wordings.PHASES[phase]} in {figures.plural(n, 'round')}: {how}"
    ),
    "out_of_phase": "out in {n:# turn}: {reason}",
    "not_seen": "it can't be seen",
    "below_step": "less than {step_ms:g} ms apart, which can't be told",
    "generator_at_peak": "the load generator was busy {client_busy:.0%} of the time at its peak, "
    "which is at least that: shares of it are of what could be offered",
    "upstream_at_peak": "whom it asks was busy {upstream_busy:.0%} of the time at its peak, and "
    "was the limit, by itself or with the load generator: its own peak is at least that",
    "stays_ill": "in {n:# round} its latency was not what it was as long as it was watched after "
    "the crowd had left",
    "cuts_slow_clients": "it closed the connections of slow clients: {n} of {asked} were left",
    "blocked_by_slow_clients": "slow clients block it: beside {n} of them it answered "
    "{share:.0%} of what it was asked",
    "few_day_rounds": "{n:# round} fitted into its time, and {least} are the least for a ratio: "
    "starts and waits took longer than was planned for; -d {needed_s:.0f} would do",
    "no_energy": "this machine does not count the processors' energy (RAPL), or not for us: there "
    "is no energy per request",
    # About two runs.
    "in_run": "{run}: {because}",
    "is_reference": "the reference: its own change can't be seen",
    "only_one_in_both": "it is the only one in both runs: absolute throughput is all that is left, "
    "and the machine's drift is in it",
    "few_run_blocks": "too few blocks of {run} have both it and {reference}",
    "machine_differs": "{key}: {before} and {after}",
    "version_changed": "version {before} before, {after} after",
    "sources_changed": "other sources or settings",
    "surroundings_changed": "{key}: {before} before, {after} after",
    "nothing_changed": "nothing that is on record changed",
    "run_not_valid": "{run}: its verdict is not valid",
    "run_cut_short": "{run}: it ended early",
    "not_repeated": "an alarm of the first race was not found again in fresh processes: the "
    "second race gave {ratio:.3f}[ ({low:.3f} to {high:.3f})]",
    "not_measured_again": "an alarm of the first race was not measured again, as the run ended",
    "engines_differ": "the load came from the engine {before} in the earlier run and {after} in "
    "the later, which may be a part of every change",
    "reference_unknown": "nothing says whether {reference}, the reference, is the same program in "
    "both runs; if it changed, its change is in every ratio",
    "reference_version": "{reference}, the reference, is {before} in the earlier run and {after} "
    "in the later: that change is in every ratio",
    "reference_sources": "{reference}, the reference, has other sources in the later run than in "
    "the earlier: that change is in every ratio",
    "slice_kinds_differ": "{name}: the figure of long slices counts in one run and that of short "
    "ones in the other, which may be a part of its change",
    # About capacities.
    "search_cut_short": "the run ended before its time: its intervals are wider than planned",
    "cores_shared_by_search": "server and generator share a core: capacities are those of the two "
    "together",
    "server_cores": "the servers had {cores} cores",
    "blocks_disturbed": "{n} of {blocks} blocks were left out: the host took the cores away",
    "one_boot_of_search": "there was one boot: the capacities hold for these processes and "
    "connections only; more --boots would tell",
    "generator_busy_at_capacity": "the load generator was busy {client_busy:.0%} of the time at "
    "its capacity: it may hold more",
}
