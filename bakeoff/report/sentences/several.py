"""What several contenders' findings say together."""

from collections.abc import Mapping

OF_EACH = ("host_hides_limits", "machine_changed")
"""Findings whose `because` has those of contenders, which they take the place of."""

SEVERAL: Mapping[str, str] = {
    "processes_lost": "{names:who} lost {n:sum} processes while they were measured, and went on "
    "with others; the first: {how:one}",
    "out_in_boots": "{names:who} were out in some boots: {reason:one}",
    "few_unanswered": "{names:who} left {missing:sum} of {attempts:sum} requests without an answer",
    "connections_closed": "{names:who} closed connections though keep-alive was asked: "
    "{reopened:sum} were opened anew for {attempts:sum} requests",
    "idle_connections_closed": "{names:who} closed {closed:sum} idle connections between their "
    "turns, and they were opened anew",
    "unsteady_warm_up": "the warm-ups of {names:who} reached no steady state in {n:to} of their "
    "boots: their figures may still have been changing",
    "slower_in_warm_up": "{names:who} got slower while they were warmed up, in {n:to} of their "
    "boots",
    "cpu_leak": "{names:who} used {share:to .1%} of the server's cores while others had their turn",
    "held_in_turns": "{names:who} used {share:to .1%} of the server's cores while others had their "
    "turn, and were stopped there from then on: what they have to do besides answering is in their "
    "own turns",
    "server_unseen": "the load generator was busy {client_busy:to .0%} of the time with "
    "{names:who}, whose CPU can't be seen: the generator may have been the limit",
    "generator_near_limit": "the load generator was busy {client_busy:to .0%} of the time with "
    "{names:who}, which were busy {server_busy:to .0%}: at moments it was the limit, and they may "
    "be faster than measured",
    "limit_unknown": "the limit of {names:who} is unknown: the servers were busy "
    "{server_busy:to .0%} of the time and the load generator {client_busy:to .0%}",
    "stood_still": "{names:who} stood still, in {times:to} slices each: at least half of their "
    "connections waited together",
    "pauses_cost": "pauses took {share:to .1%} of the throughput of {names:who}[: {because}]",
    "silent_slices": "of {names:who}, {silent:to} slices each passed without a single answer",
    "cold_draws": "the processes of {names:who} were not warm when they were measured: after the "
    "first third of each draw they were {ratio:to .3f} times as fast as in it",
    "slower_while_measured": "{names:who} got slower while they were measured, to "
    "{after_ratio:to .0%} of the throughput of before",
    "faster_while_measured": "{names:who} got faster while they were measured, to "
    "{after_ratio:to .2f} times the throughput of before, so they were not warm yet",
    "workers_restarted": "{ended:sum} working processes of {names:who} ended while they were "
    "measured: they restart their workers",
    "processes_escaped": "{names:who} started processes that left their process groups",
    "killed": "{names:who} did not end when asked to (SIGTERM) and were killed",
    "outlived_sigkill": "even SIGKILL did not end processes of {names:who}",
    "memory_grew": "the memory of {names:who} grew by {mib_per_s:to .1f} MiB a second while they "
    "were measured",
    "verification": "{names:who}, each: {text:one}",
    "answers_count": "the answers of {names:who} depend on what they were asked before: "
    "{place:one} goes on with each request",
    "answers_grow": "the answers of {names:who} depend on what they were asked before: each is "
    "longer than the one before",
    "answers_unlike": "the answers of {names:who} are not like those of {reference:one}: "
    "{differences:one}",
    "delayed_ack": "half of the answers of {names:who} take {p50_us:to ms} or more while their CPU "
    "is nearly idle: Nagle's algorithm meets delayed ACK",
    "packets_lost": "{quantile:one} of {names:who} is {value_us:to ms}, about TCP's minimum "
    "retransmission time of 200 ms: packets were lost",
    "syn_repeated": "{quantile:one} of {names:who} is {value_us:to s}, about the time after which "
    "TCP repeats a SYN: their listen queues were full",
    "few_blocks": "too few blocks for the ratios of {names:who}: each was measured side by side "
    "with {reference:one} in {n:to}, and {least:to} are the least",
    "few_draws": "too few draws for ratios of {names:who} to {reference:one} that hold whenever a "
    "race ends",
    "some_blocks": "{names:who} had their turns in {n:to ,} of the {blocks:to ,} blocks of "
    "{reference:one}",
    "slice_length_matters": "the length of a slice matters for {names:who}: against "
    "{reference:one}, in long slices[ ({long_ms:to} ms instead of {short_ms:to} ms)] their ratios "
    "are {long_ratio:to .3f}, in short ones {short_ratio:to .3f}",
    "solo_missing": "not confirmed: solo, [{because}, and ]{names:who} have no ratio",
    "solo_differs": "in turns and solo {names:who} are not the same: against {reference:one}, in "
    "turns the ratios are {ratio:to .3f}, with one contender up at a time {solo_ratio:to .3f}, "
    "which is more than chance",
}
"""The warning that several contenders share, by the code of each one's own."""
