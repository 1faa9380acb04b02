"""What the judge can find: the meaning of each code, and the names of its values.

They are in docs/schemas/finding.schema.json, and `report/sentences` words them. `model/values.py`
has the meaning of each value.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    """What a finding of one code means, and the names of its values."""

    meaning: str
    values: tuple[str, ...] = ()


def _codes(*rows: str) -> dict[str, Code]:
    """Each row: `code value value: meaning`."""
    codes = {}
    for row in rows:
        head, _, meaning = row.partition(": ")
        code, *values = head.split()
        codes[code] = Code(meaning, tuple(values))
    return codes


_REASONS = _codes(
    # Why an entry's figures can't stand.
    "not_measured: The run ended before its first slice.",
    "died how: Its processes ended, or did not come up again; `how` has the end of the log.",
    "no_answers: It answered no request.",
    "few_connections opened connections: Fewer connections could be opened than planned.",
    "wrong_answers wrong attempts first_bad: Answers had a wrong status, body or header.",
    "answered_twice detail: Bytes came that no request had asked for.",
    "not_taken n detail: Of `n` answers a connection could not take what its later requests carry.",
    "unanswered missing attempts kinds counts broken_off dropped limit_share: "
    "More requests than the limit got no answer.",
    "port_closed port: Its process lived and no longer listened on its port.",
    "left_cores cpus strayed: Its threads let themselves run on cores that others were given.",
    "rate_not_answered answered_share rate least: It did not answer what it was offered.",
    # Why an entry did at least what was measured.
    "generator_limit client_busy client_core server_busy: "
    "The generator was busy and the server far from it.",
    "upstream_limit upstream_busy client_busy server_busy: Whom the server asks was at its limit, "
    "and the server far from it.",
    "generator_slow in_flight connections pipeline share limit_share: By Little's law, requests "
    "spent more time in the generator than the limit; `share` of the time.",
    "generator_late lag_us most_us: The generator sent late, which is in all latencies.",
)


WARNINGS_OF_ENTRIES: Mapping[str, Code] = _codes(
    # What casts a shadow on an entry's figures.
    "processes_lost n how: It lost `n` processes while it was measured, and went on with others.",
    "out_in_boots n boots boot reason: It was out in `n` of `boots` boots, in `boot` first.",
    "few_unanswered missing attempts kinds counts broken_off dropped: "
    "Requests got no answer, fewer than the limit.",
    "connections_closed reopened attempts: It closed connections that were to be kept alive.",
    "idle_connections_closed closed: It closed connections between its turns.",
    "unsteady_warm_up n boots: In `n` of `boots` boots its warm-up reached no steady state.",
    "slower_in_warm_up n boots boot peak_per_s now_per_s: In `n` of `boots` boots it got slower "
    "in its warm-up; the figures are those of `boot`.",
    "cpu_leak share: It used `share` of its cores while others had their turn.",
    "held_in_turns share: It used `share` of its cores while others had their turn, and was "
    "stopped there from then on.",
    "server_unseen client_busy client_core: "
    "The generator was busy, and the server's CPU can't be seen.",
    "generator_near_limit client_busy client_core server_busy: "
    "At moments the generator was the limit.",
    "limit_unknown server_busy client_busy client_core: "
    "Neither server nor generator was at its limit.",
    "stood_still length_us times slices: At least half of its connections waited together.",
    "pauses_cost share share_low share_high reference ratio low high: Pauses took `share` of its "
    "throughput, beyond what the others lost, of which typical slices have nothing; `ratio` is "
    "that of mean speeds.",
    "silent_slices silent slices: Slices passed without a single answer.",
    "cold_draws ratio low high: It got faster within its draws; `ratio` is its speed after their "
    "first third over that in it, beside the others.",
    "slower_while_measured after_share after_ratio: Its throughput fell during a boot.",
    "faster_while_measured after_share after_ratio: Its throughput rose during a boot.",
    "workers_restarted ended began: Working processes ended, and others took over.",
    "processes_escaped processes: It started processes that left its process group.",
    "killed n boots: It ignored SIGTERM, in `n` of `boots` boots, and was killed.",
    "outlived_sigkill pids: Not even SIGKILL ended its processes.",
    "memory_grew mib_per_s mib_before mib_after: Its memory grew in every boot.",
    "verification text: What was seen when its answers were checked.",
    "answers_count place seen: A number in its answers goes on evenly from request to request.",
    "answers_grow seen: Each of its answers is longer than the one before; `seen` in bytes.",
    "answers_unlike reference differences: Its answers are not like those of `reference`.",
    "delayed_ack p50_us: Half of its answers take about 40 ms while its CPU is nearly idle.",
    "packets_lost quantile value_us retransmits: A quantile is near TCP's retransmission time.",
    "syn_repeated quantile value_us dropped: A quantile is near the time after which TCP "
    "repeats a SYN.",
    "few_blocks reference n least: Too few blocks have both it and the reference.",
    "few_draws reference: Too few draws have both it and the reference, of a race that may have "
    "ended at any time.",
    "some_blocks reference n blocks: It had its turn in some of the reference's blocks only.",
    "slice_length_matters reference long_ms short_ms long_ratio long_low long_high short_ratio "
    "short_low short_high: Long and short slices disagree; the long ones count.",
    "solo_missing reference: It has no solo ratio; without `because`, too few rounds have both.",
    "solo_differs reference ratio low high solo_ratio solo_low solo_high: In turns and solo "
    "its ratio differs by more than chance.",
)


OF_REQUESTS: Mapping[str, Code] = _codes(
    # Where the requests of a mix disagree.
    "request_differs request name other ratio low high whole_ratio singly: In one request of a mix "
    "two contenders differ otherwise than in most of them.",
)


WARNINGS_OF_RACES: Mapping[str, Code] = _codes(
    # About a whole race.
    "cores_shared: Servers and load generator share cores.",
    "workers_crowded workers cores: More workers were asked for than there are server cores.",
    "cut_short: The race ended before its time.",
    "boots_missing n planned: Only `n` of the planned boots were measured.",
    "one_boot: There was one boot, and one draw in it: the intervals hold for those processes.",
    "one_process names: They had one process each: the intervals hold for that one.",
    "few_processes names n: They had `n` processes or a few more: the intervals are wide for it.",
    "few_boots n: There were `n` boots, on whose number the intervals rest: they are wide for it.",
    "warm_up_short longest_s: No contender was warmed up for 3 s.",
    "host_steal share: The host took that share of the cores' time.",
    "listen_queue_full overflows: Connections met a full listen queue.",
    "segments_resent sides shares: Those sides (server, load) sent such shares of their segments "
    "again, over a network.",
    "network_full names shares carried_bytes_per_s: Their requests or their answers, whichever "
    "are more, took such shares of what one connection carried before the race.",
    "fewer_connections connections names places: There were fewer `connections` than usual, as the "
    "listen queues of those have room for so many and overflowed with more.",
    "fewer_served connections names served: There were fewer `connections` than usual, as those "
    "serve so many at a time and let all others wait.",
    "blocks_left_out n blocks limit_share names ratios lows highs: `n` blocks are left out, or "
    "slices of them, in which the host or other processes took more than the limit of the cores' "
    "time; the ratios are those with them.",
    "blocks_kept n blocks limit_share least: `n` blocks were disturbed, as the host or other "
    "processes took more than the limit of the cores' time or generators did not load together; "
    "they count all the same, as fewer than `least` others would be left.",
    "state_unseen: Whether other processes had the cores could not be seen.",
    # About several load generators.
    "loader_lost loader how: It was lost; the race went on with the others.",
    "loaders_apart n blocks: `n` blocks are left out, in which not all generators loaded together "
    "as planned; `because` has the faults of each, with how many of its slices they spoiled.",
    "loader_late loader n slices: It began more than 2 % of a window later than the others.",
    "loader_clock_jumped loader n slices: Its clock jumped.",
    "loader_stolen loader n slices: Its host took more than 5 % of its cores' time.",
    "loader_lags loader n slices: In an open loop it sent far later than the others.",
    "loader_lossy loader missing attempts: It lost far more of its requests than the others.",
    "loader_tail loader value_us others_us: Its p99 is far above that of the others.",
    "loader_slow loader share: Each of its connections had `share` of the answers that one of the "
    "others had.",
    "loader_limit loader client_busy: It was at its limit, where all together were not.",
    "loader_clock_coarse loader error_us most_us: Its clock is known too coarsely for slices of "
    "this length to start together.",
    "cpu_sources_differ names sources: CPU time was read in unlike ways.",
    "feels_machine name other slope slope_low slope_high work_us quiet quiet_low quiet_high: Its "
    "ratio to `other` by server CPU follows the machine's state by more than chance.",
    "twin_differs name ratio low high: Two copies of one program differ.",
    "machines_differ contender machine over ratio low high: The same contender has that ratio on "
    "one machine over another one.",
    "reference_replaced planned chosen: The planned reference could not be one.",
    "no_noise_floor: The twin gives no noise floor.",
    "few_twin_blocks least: Too few blocks have both the twin and its original.",
    "not_confirmed: The solo part that was to confirm the race was not measured.",
    "solo_cut_short: The solo part that was to confirm the race ended early.",
    # What several contenders have in common.
    "several names: Contenders with the same warning; `because` has the one of each.",
    "host_hides_limits share names: The host took that share of the cores' time, so that neither "
    "server nor generator could be seen at its limit.",
    "machine_changed boot after_share after_ratio names: Most contenders changed their throughput "
    "at the same moment; `after_ratio` is the median of theirs.",
    "machine_stood_still length_us names: Most contenders stood still, about as often.",
)


_OTHERS = _codes(
    # Where contenders' work is unequal.
    "answers_early names: They answer before a request is complete.",
    "streams_capped names limits streams: They admit fewer streams on a connection than were "
    "asked for, so fewer requests were under way.",
    "tls_versions_differ names versions: They agreed on unlike versions of TLS.",
    "ciphers_differ names ciphers: They agreed on unlike ciphers.",
    "keys_differ names certificate_keys: Their certificates have unlike kinds of keys.",
    "few_at_work names processes threads workers: They had half as many threads at work as "
    "workers were asked for, or fewer.",
    "many_at_work names threads workers cores: They kept more threads at work than were asked for.",
    "logs names bytes_per_request: They write logs or files.",
    "segments_differ names segments: They send an answer in unlike numbers of writes.",
    "nagle names: The 40 ms of Nagle's algorithm meeting delayed acknowledgement show.",
    "no_keep_alive names: They keep no connection alive.",
    "closes_soon names requests: They close a connection after a few requests.",
    "stays_open names: They leave open a connection that they were asked to close.",
    "no_date names: They send no Date.",
    "date_frozen names: Their Date does not move.",
    "bodies_differ least least_bytes most most_bytes: The bodies differ in size.",
    "heads_differ least least_bytes most most_bytes: The heads differ in size.",
    "headers_missing names headers others: They don't send headers that most others send.",
    "headers_further names headers: They send headers that most others don't send.",
    "hpack_differs names head_bytes packed_bytes: HPACK makes unlike sizes of their heads.",
    "http2_settings_differ setting names kept: They sent unlike values of a setting of HTTP/2.",
    "no_resumption names: They resume no TLS session, and others do.",
    "no_alpn names: They agreed on no protocol by ALPN, and others did.",
    "no_http_1_0_keep_alive names: They keep no connection of an HTTP/1.0 client.",
    # Where the second verdict, by server CPU, is another one, and why.
    "cpu_differs name other finding cpu_finding ratio low high: By server CPU the two are ordered "
    "otherwise than in the standings; `because` has the cause.",
    "limit_hides names limit: They could not show how fast they are.",
    "server_waited name server_busy: It was not at work all of the time.",
    "interval_too_wide by: The two figures may be the same, and one has the wider interval.",
    "kernel_bills names shares: The kernel's shares of their CPU time are unlike; it bills a part "
    "of one side's work to the other.",
    "calls_differ name other ratio low high: The kernel's time per request of `name` is not that "
    "of `other` (`ratio`), so that the two make unlike calls.",
    "calls_unknown n least: So few draws don't say whether the two make the same calls.",
    "cause_unknown: Nothing that is on record explains it.",
    # Why there is no ratio, gate or claim.
    "not_valid name: Its figures can't stand.",
    "absent name reason: It did not take part.",
    "few_paired_blocks: Too little was measured of both sides of a gate.",
    "few_pairs n least what failure: Too few of `what` have both sides of a claim.",
    "few_blocks_side_by_side: Too few blocks have both sides of a claim.",
    "generator_in_latency name: The generator was its limit, and is part of its latency.",
    "cpu_not_compared: What the whole machine used is not compared.",
    "not_read metric: The metric is not read while a tool makes the load.",
    "comparison_missing: The claim's comparison was not measured.",
    "tool_and_engine row tool: A tool and the engine can't be compared.",
    "few_rounds n least: Too few rounds have this figure of both tools.",
    "wrk_corrects: wrk adds waiting that it did not measure to its latencies.",
    "coarse loader step_us: A tool prints its latencies too coarsely.",
    "text text: Words from outside.",
    # About a day.
    "keeps_up level held: It answered what it was offered beyond its peak.",
    "answers_late level held p50_us: It answers as much as at its peak, and the rest waits.",
    "queues_in_memory level held p50_us mib mib_at_peak: The same, and those who wait fill its "
    "memory: `mib` where at 100 % of its peak it held `mib_at_peak`.",
    "sheds level held kinds shares: It says no, by an answer with another status.",
    "refuses level held kinds shares: It refuses connections.",
    "drops level held kinds shares: It drops connections that it had taken.",
    "sags level held high: It answers clearly less than at its peak: the whole interval of `held` "
    "is below.",
    "uneven level p50_us p99_us: Some are answered soon, and others wait many times as long.",
    "door_full level overflows: Connections met a full listen queue, so many in a round.",
    "times_out level held share: It leaves requests without an answer.",
    "collapses level held kinds shares: It answers less than half of what it does at its peak.",
    "dies_beyond level n how: It died when it was offered so much, in `n` rounds.",
    "died_in_phase phase n how: It died in a phase, in `n` rounds, and began the next one anew.",
    "missed_phase phase n how: It could not take part in a phase, in `n` rounds.",
    "out_of_phase n reason: It has no figure of a phase, as it was out of it in `n` rounds.",
    "not_seen: The figure can't be seen.",
    "below_step step_ms: The difference is smaller than what can be told.",
    "generator_at_peak client_busy: The generator was busy at the peak, which is at least that.",
    "upstream_at_peak upstream_busy: Whom it asks was busy at the peak, which is at least that.",
    "stays_ill n: In `n` rounds it was not what it was before as long as it was watched.",
    "cuts_slow_clients n asked: It closed the connections of most slow clients.",
    "blocked_by_slow_clients n share: Beside `n` slow clients it answered less than half of what "
    "it was asked.",
    "few_day_rounds n least needed_s: Fewer rounds fitted into a day's time than give a ratio.",
    "no_energy: The processors' energy is not counted, or can't be read.",
    # About two runs.
    "in_run run: What holds in one of the two runs.",
    "is_reference: It is the reference, whose own change can't be seen.",
    "only_one_in_both: It is the only one in both runs.",
    "few_run_blocks run reference: Too few blocks of a run have both it and the reference.",
    "machine_differs key before after: The machines differ.",
    "run_not_valid run: A run's verdict is not valid.",
    "run_cut_short run: A run ended early.",
    "engines_differ before after: The load came from engines of different versions.",
    "reference_unknown reference: Nothing says whether the reference is the same in both runs.",
    "reference_version reference before after: The reference has another version.",
    "reference_sources reference: The reference has other sources.",
    "slice_kinds_differ name: Long slices count in one run, short ones in the other.",
    # About a step of a line over time.
    "version_changed before after: It has another version.",
    "sources_changed: It has other sources or settings.",
    "surroundings_changed key before after: The kernel, bakeoff or its method is another.",
    "nothing_changed: Nothing that is on record differs.",
    # About two revisions.
    "not_repeated ratio low high: An alarm was not found again in fresh processes; the figures "
    "are those of the second race.",
    "not_measured_again: The run ended before an alarm was measured again.",
    # About capacities.
    "search_cut_short: The run ended before its time.",
    "cores_shared_by_search: Server and generator share a core.",
    "server_cores cores: The servers had more than one core.",
    "blocks_disturbed n blocks: Blocks are left out, as the host took the cores away.",
    "one_boot_of_search: There was one boot, and one draw in it: the capacities hold for those "
    "processes.",
    "generator_busy_at_capacity client_busy: The generator was near its limit at the capacity.",
)


CODES: Mapping[str, Code] = {
    **_REASONS,
    **WARNINGS_OF_ENTRIES,
    **OF_REQUESTS,
    **WARNINGS_OF_RACES,
    **_OTHERS,
}
