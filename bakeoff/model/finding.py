"""Findings of the judge as data: a code and its values. `report/sentences` words them.

`CODES` has the meaning and the values of each code, `VALUES` the meaning of each value; both are in
docs/schemas/finding.schema.json. A list has one value for each of `names`, `kinds` or `headers`, in
their order.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from bakeoff.model.base import Contract

Value = str | bool | int | float | list[str] | list[int] | list[float] | None


@dataclass(frozen=True)
class Code:
    """What a finding of one code means, and the names of its values."""

    meaning: str
    values: tuple[str, ...] = ()


class Finding(Contract):
    """A code and its values: see finding.schema.json.

    `because` has the findings that this one rests on. Where it has one for each of `names`, they
    are those contenders' own: what is said here need not be said again of each.
    """

    code: str
    values: dict[str, Value] = {}
    because: Annotated[tuple["Finding", ...], Field(exclude_if=lambda given: not given)] = ()

    @classmethod
    def of(cls, code: str, *because: Self, **values: Value) -> Self:
        """`Finding.of("died", how="SIGKILL")`."""
        return cls(code=code, values=values, because=because)

    def tells(self, name: str, own: "Finding") -> bool:
        """Whether this finding says what `own` says of one contender."""
        names = self.values.get("names")
        if not isinstance(names, list) or len(names) != len(self.because):
            return False
        return (name, own) in zip(names, self.because, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _reads_sentences(cls, given: Any) -> Any:
        """Results of earlier versions have a sentence in place of a finding, or lack a value."""
        if isinstance(given, str):
            return {"code": "text", "values": {"text": given}}
        code = CODES.get(given["code"]) if isinstance(given, dict) and "code" in given else None
        lacks = [] if code is None else [each for each in LATER if each in code.values]
        return (
            {**given, "values": {**dict.fromkeys(lacks), **given.get("values", {})}}
            if lacks
            else given
        )

    @model_validator(mode="after")
    def _is_registered(self) -> Self:
        code = CODES.get(self.code)
        if code is None:
            raise ValueError(f"`code` is {self.code}, which is none of finding.schema.json's")
        if set(self.values) != set(code.values):
            raise ValueError(f"`values` of {self.code} are {', '.join(code.values) or 'none'}")
        return self


Reason = Annotated[Finding | None, BeforeValidator(lambda given: given or None)]
"""Why there is no figure; None: there is one. Results of earlier versions have an empty text."""

Reasons = Annotated[
    tuple[Finding, ...],
    BeforeValidator(lambda given: (given,) * bool(given) if isinstance(given, str) else given),
]
"""Several of them. Results of earlier versions have one sentence, or an empty text."""


VALUES: Mapping[str, str] = {
    "after": "what it was afterwards, or in the later run",
    "after_ratio": "its throughput after that moment over its throughput before",
    "after_share": "share of a process's blocks after which it changed",
    "answered_share": "answers per request that was due; the median over the slices",
    "asked": "how many were asked for",
    "attempts": "requests that were tried, over all slices",
    "before": "what it was before, or in the earlier run",
    "began": "processes that took up work while blocks were measured",
    "blocks": "blocks, all of them",
    "boot": "a boot's number, from 0",
    "boots": "boots in which it happened",
    "broken_off": "whether an answer stopped in the middle",
    "bytes_per_request": "bytes of log and scratch files written per answered request",
    "carried_bytes_per_s": "what one connection between two machines carried before the race",
    "certificate_keys": "kinds of a certificate's key, as EC secp256r1",
    "chosen": "the contender that is the reference instead",
    "ciphers": "ciphers of TLS",
    "client_busy": "share of the time in which the load generator was at work; of its busiest core",
    "client_core": "which core of the load generator that was; null: it has one, or is several",
    "closed": "idle connections that it closed between its turns",
    "connections": "connections",
    "cores": "server cores, how many",
    "contender": "the contender that was on both machines",
    "counts": "how many failures of each of `kinds`",
    "cpus": "the cores that it was given, by number",
    "detail": "the first such answer, in the engine's words; null: none was kept",
    "differences": "where answers differ, in words or as lines of a diff",
    "dropped": "connections that the kernel dropped, over all servers; null: it was not counted",
    "error_us": "how far off a clock may be, µs",
    "ended": "working processes that ended while blocks were measured",
    "failure": "why a load tool's run gave nothing, in its own words; null: none failed",
    "first_bad": "the first wrong answer, in the engine's words; null: none was kept",
    "head_bytes": "bytes of an answer's head before HPACK",
    "headers": "names of HTTP headers; where there are `names`, one's own, with commas between",
    "held": "right answers per second, over those of the contender's own peak",
    "high": "upper end of the ratio's 95 % interval",
    "highs": "upper ends of the ratios' 95 % intervals",
    "how": "how a process ended",
    "in_flight": "requests under way at a time, the mean",
    "kept": "what each has for a setting of HTTP/2, its own or the default",
    "key": "which fact of the machine",
    "kinds": "kinds of failures, as the engine names them",
    "lag_us": "p99 of how late the generator sent, µs",
    "least": "the least that would do; of sizes, who sends the least",
    "least_bytes": "the least that an answer has, bytes",
    "level": "what was offered, over the contender's own peak",
    "length_us": "how long it stood still, µs, the median; null: no wait was seen whole",
    "limit_share": "the share that is the limit",
    "limits": "streams that are admitted on a connection",
    "loader": "a load tool, or engine; one of several load generators, by its name",
    "long_high": "upper end of the long slices' 95 % interval",
    "long_low": "lower end of the long slices' 95 % interval",
    "long_ms": "length of a long slice, ms; null: it is not known",
    "long_ratio": "the ratio in long slices",
    "longest_s": "the longest warm-up of the first boot, s",
    "low": "lower end of the ratio's 95 % interval",
    "lows": "lower ends of the ratios' 95 % intervals",
    "machine": "a server node, by its address",
    "metric": "a metric of an article's claim",
    "mib": "memory at that load, MiB",
    "mib_at_peak": "memory at 100 % of the peak, MiB",
    "mib_after": "memory when the load ended, MiB, in the boot in which it grew most",
    "mib_before": "memory when blocks began, MiB, in the boot in which it grew most",
    "mib_per_s": "MiB per second by which memory grew, over all boots",
    "missing": "requests that were never answered",
    "most": "of sizes, who sends the most",
    "most_bytes": "the most that an answer has, bytes",
    "most_us": "the latest that the generator may be, µs",
    "n": "how many there were",
    "needed_s": "the time that would do, s",
    "name": "the contender",
    "names": "the contenders",
    "now_per_s": "requests per second at the end of the warm-up",
    "opened": "the fewest connections that could be opened in any boot",
    "others": "how many contenders it is not true of",
    "over": "the server node that it is compared with, by its address",
    "overflows": "connections that met a full listen queue, over all servers",
    "p50_us": "median latency, µs",
    "p99_us": "p99 of the latency, µs",
    "packed_bytes": "bytes of an answer's head after HPACK, frames included",
    "peak_per_s": "requests per second of the warm-up's best second",
    "phase": "a phase of a day",
    "pids": "process ids",
    "pipeline": "requests that may be under way on one connection",
    "place": "where in an answer",
    "places": "of each, how many connections its listen queue has room for",
    "planned": "what was planned",
    "port": "a TCP port",
    "processes": "processes, how many",
    "quantile": "a quantile's name, as p99.9",
    "rate": "requests per second that were offered",
    "other": "the contender that it is compared with",
    "others_us": "the same of the others, the median, µs",
    "ratio": "the ratio to the reference; of a twin, to its original",
    "request": "a request of the mix, by its name",
    "ratios": "ratios to the reference",
    "reason": "why, in the words of whoever refused",
    "reference": "the contender that ratios are to",
    "reopened": "connections opened anew after the contender closed one that was in use",
    "requests": "answers after which a connection is closed",
    "retransmits": "TCP segments sent again, over all servers; null: it was not counted",
    "row": "a row of an article",
    "run": "a run's name",
    "seen": "what it was in answers one after another",
    "segments": "how many writes an answer is sent in",
    "upstream_busy": "share of the time in which the upstream was at work",
    "server_busy": "share of its cores' time that the server used",
    "served": "of each, how many connections it serves while they stay open",
    "setting": "the name of a setting of HTTP/2",
    "share": "a share, 0 to 1",
    "shares": "of each of `kinds`, the share of what was attempted; of each of `sides` or `names`, "
    "the share that the code means",
    "short_high": "upper end of the short slices' 95 % interval",
    "short_low": "lower end of the short slices' 95 % interval",
    "short_ms": "length of a short slice, ms; null: it is not known",
    "short_ratio": "the ratio in short slices",
    "sides": "`server` or `load`, whose node it is",
    "silent": "slices without a single answer",
    "singly": "whether one request was under way at a time",
    "slices": "slices, all of them",
    "solo_high": "upper end of the solo 95 % interval",
    "solo_low": "lower end of the solo 95 % interval",
    "solo_ratio": "the ratio with one contender up at a time",
    "sources": "where the CPU time was read",
    "step_ms": "how far apart the figures are that can be told, ms",
    "step_us": "how far apart the latencies are that a tool prints, µs",
    "strayed": "the cores that it ran on and was not given, by number",
    "streams": "streams that were asked for on a connection",
    "text": "words from outside: of an article, a tool, a check, or an earlier version",
    "threads": "threads at work, how many",
    "times": "slices in which it stood still",
    "tool": "a load tool",
    "value_us": "that quantile, µs",
    "versions": "versions of TLS",
    "what": "what there are too few of: long blocks, boots, rounds, or rounds with the figure",
    "workers": "workers that were asked for",
    "whole_ratio": "the ratio over all requests, at full load; null where there is none",
    "wrong": "answers of a wrong status, body or header",
}


LATER = ("client_core",)
"""Values that findings of earlier versions lack: null."""


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
    "died how: It died while it was loaded.",
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
    "server_unseen client_busy client_core: "
    "The generator was busy, and the server's CPU can't be seen.",
    "generator_near_limit client_busy client_core server_busy: "
    "At moments the generator was the limit.",
    "limit_unknown server_busy client_busy client_core: "
    "Neither server nor generator was at its limit.",
    "stood_still length_us times slices: At least half of its connections waited together.",
    "silent_slices silent slices: Slices passed without a single answer.",
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
    "blocks_left_out n blocks limit_share names ratios lows highs: `n` blocks are left out, in "
    "which the host took more than the limit of the cores' time; the ratios are those with them.",
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
    # Why there is no ratio, gate or claim.
    "not_valid name: Its figures can't stand.",
    "absent name reason: It did not take part.",
    "few_paired_blocks: Too few blocks have both sides of a gate.",
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
