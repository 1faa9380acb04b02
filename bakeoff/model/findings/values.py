"""The values of findings: the meaning of each, and an example.

A list has one value for each of `names`, `kinds` or `headers`, in their order.
"""

from collections.abc import Mapping
from typing import NamedTuple

Value = str | bool | int | float | list[str] | list[int] | list[float] | None


class Meant(NamedTuple):
    """The meaning of a value, and an example of it."""

    meaning: str
    example: Value


VALUES: Mapping[str, Meant] = {
    "after": Meant("what it was afterwards, or in the later run", "2.0"),
    "after_ns": Meant(
        "how long a line of the cache took between cores in the later run, ns", 400.0
    ),
    "after_ratio": Meant("its throughput after that moment over its throughput before", 0.62),
    "after_share": Meant("share of a process's blocks after which it changed", 0.4),
    "after_us": Meant("how long the fixed work took in the later run, µs", 304.0),
    "answered_share": Meant("answers per request that was due; the median over the slices", 0.958),
    "asked": Meant("how many were requested", 20),
    "at_most_per_s": Meant("requests per second that a path allows at most", 3_200.0),
    "attempts": Meant("requests that were sent, over all slices", 48_000),
    "before": Meant("what it was before, or in the earlier run", "1.9"),
    "before_ns": Meant("the same in the earlier run, ns", 85.0),
    "before_us": Meant("the same in the earlier run, µs", 218.0),
    "began": Meant("processes that took up work while blocks were measured", 3),
    "blocks": Meant("blocks, all of them", 80),
    "boot": Meant("a boot's number, from 0", 0),
    "boots": Meant("boots in which it happened", 3),
    "broken_off": Meant("whether an answer was cut off", False),
    "busy": Meant("share of a core's time in which something was at work", 0.86),
    "by": Meant("what was compared: `requests_per_s`, `p99` or `requests_per_cpu_s`", "p99"),
    "bytes_per_request": Meant(
        "bytes of log and scratch files written per answered request", [120.0, 80.0]
    ),
    "call": Meant("the name of a system call; `NAME: WORK` of one that does several", "sendto"),
    "calls_more": Meant("calls per request more than the other; null: as many", 1.0),
    "carried_bytes_per_s": Meant(
        "what one connection between two machines carried before the race", 1.2e8
    ),
    "certificate_keys": Meant(
        "kinds of a certificate's key, as EC secp256r1", ["RSA 2048", "EC secp256r1"]
    ),
    "chosen": Meant("the contender that is the reference instead", "api-v2"),
    "ciphers": Meant("ciphers of TLS", ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"]),
    "client_busy": Meant(
        "share of the time in which the load generator was at work; of its busiest core", 0.97
    ),
    "client_core": Meant(
        "which core of the load generator that was; null: it has one, or is several", 2
    ),
    "closed": Meant("idle connections that it closed between its turns", 12),
    "connections": Meant("connections", 64),
    "contender": Meant("the contender that was on both machines", "api-v2"),
    "cores": Meant("server cores, how many", 2),
    "cores_used": Meant("cores that it uses at its own peak, the mean", 0.9),
    "counts": Meant("how many failures of each of `kinds`", [40, 2]),
    "cpu_finding": Meant(
        "what is found of `name` against `other` by requests per second of server CPU", "faster"
    ),
    "cpus": Meant("the cores that it was given, by number", [0, 1]),
    "delay_us": Meant("what a path adds to each round trip, µs", 20_000.0),
    "detail": Meant(
        "the first such answer, in the engine's words; null: none was kept",
        "21 bytes after the answer",
    ),
    "differences": Meant(
        "where answers differ, in words or as lines of a diff", "the header server"
    ),
    "datagrams": Meant("datagrams that met a full receive buffer", 120),
    "datagrams_at_server": Meant("of these, those at the server's own sockets; null: none", 100),
    "datagrams_carried": Meant("datagrams that were sent and received", 48_000),
    "drained_s": Meant("time in which answers were waited for after slices had ended, s", 74.0),
    "dropped": Meant(
        "connections that the kernel dropped, over all servers; null: it was not counted", 16
    ),
    "dropped_packets": Meant("packets that connection tracking dropped", 22_656),
    "earlier_us": Meant("the same in earlier races in this setting, the median, µs", 218.0),
    "ended": Meant("working processes that ended while blocks were measured", 3),
    "error_us": Meant("how far off a clock may be, µs", 900.0),
    "failure": Meant(
        "why a load tool or a profiler failed, in its own words; null: none failed", "exit status 1"
    ),
    "faults_more": Meant("page faults per request more than the other", 0.2),
    "file": Meant("a program's file, or one that it has loaded, by its name", "libssl.so.3"),
    "finding": Meant(
        "what is found of `name` against `other` by what the race is ranked by", "slower"
    ),
    "fixed_work_us": Meant("how long the fixed work took in most draws, µs", 304.0),
    "first_bad": Meant(
        "the first wrong answer, in the engine's words; null: none was kept",
        "status 500 instead of 200",
    ),
    "function": Meant("a function, as its debugger names it", "parse_request"),
    "gap_ms": Meant("how far apart a stream's source sends its events, ms", 20.0),
    "gaps": Meant("gaps between events of streams", 4_000),
    "head_bytes": Meant("bytes of an answer's head before HPACK", [180, 210]),
    "headers": Meant(
        "names of HTTP headers; where there are `names`, one's own, with commas between",
        ["server", "etag"],
    ),
    "held": Meant("right answers per second, over those of the contender's own peak", 0.8),
    "high": Meant("upper end of the ratio's 95 % interval", 1.18),
    "highs": Meant("upper ends of the ratios' 95 % intervals", [1.31, 0.9]),
    "how": Meant("how a process ended", "was killed by signal SIGSEGV"),
    "in_flight": Meant("requests under way at a time, the mean", 58.2),
    "kept": Meant(
        "the value of each for a setting of HTTP/2, its own or the default", ["100", "128"]
    ),
    "key": Meant("which fact of the machine", "kernel"),
    "kinds": Meant("kinds of failures, as the engine names them", ["timeout", "reset"]),
    "lag_us": Meant("p99 of how late the generator sent, µs", 1_500.0),
    "late_us": Meant("p99 of how late packets left a path, in the worst draw, µs", 2_100.0),
    "least": Meant("the least that is enough; of sizes, the contender that sends the least", 10),
    "least_bytes": Meant("the least that an answer has, bytes", 120),
    "length_us": Meant(
        "how long it stalled, µs, the median; null: no wait was seen whole", 90_000.0
    ),
    "level": Meant("what was offered, over the contender's own peak", 1.5),
    "limit": Meant(
        "what held them back: `upstream`, `client` (the load generator), `both` or `rate`",
        "upstream",
    ),
    "limit_share": Meant("the share that is the limit", 0.01),
    "limits": Meant("streams that are admitted on a connection", [100]),
    "loader": Meant(
        "a load tool, or engine; one of several load generators, by its name", "10.0.0.3"
    ),
    "long_high": Meant("upper end of the long slices' 95 % interval", 1.13),
    "long_low": Meant("lower end of the long slices' 95 % interval", 1.07),
    "long_ms": Meant("length of a long slice, ms; null: it is not known", 250),
    "long_ratio": Meant("the ratio in long slices", 1.1),
    "longest_s": Meant("the longest warm-up of the first boot, s", 2.0),
    "low": Meant("lower end of the ratio's 95 % interval", 1.06),
    "lows": Meant("lower ends of the ratios' 95 % intervals", [1.2, 0.84]),
    "machine": Meant("a server node, by its address", "10.0.0.2"),
    "measured_s": Meant("time in which it was measured, s", 7.0),
    "metric": Meant("a metric of an article's claim", "p99"),
    "mib": Meant("memory at that load, MiB", 310.0),
    "mib_after": Meant("memory when the load ended, MiB, in the boot in which it grew most", 120.0),
    "mib_at_peak": Meant("memory at 100 % of the peak, MiB", 48.0),
    "mib_before": Meant("memory when blocks began, MiB, in the boot in which it grew most", 40.0),
    "mib_per_s": Meant("MiB per second by which memory grew, over all boots", 1.6),
    "missing": Meant("requests that were never answered", 42),
    "mode": Meant("`user` or `kernel`", "kernel"),
    "most": Meant("of sizes, the contender that sends the most", "api-v1"),
    "most_bytes": Meant("the most that an answer has, bytes", 190),
    "most_us": Meant("the latest that the generator may be, µs", 500.0),
    "n": Meant("how many there were", 2),
    "name": Meant("the contender", "api-v2"),
    "names": Meant("the contenders", ["api-v2", "api-v3"]),
    "needed_s": Meant("the time that would be enough, s", 900.0),
    "now_per_s": Meant("requests per second at the end of the warm-up", 31_000.0),
    "opened": Meant("the fewest connections that could be opened in a boot", 12),
    "other": Meant("the contender that it is compared with", "api-v1"),
    "other_loader": Meant("the load tool that it is compared with", "engine"),
    "other_cores_used": Meant("the same of `other`", 1.4),
    "other_peak_per_s": Meant("requests per second of `other` at its own peak", 81_000.0),
    "other_share": Meant("the share of that, 0 to 1", 0.55),
    "others": Meant("how many contenders it is not true of", 3),
    "others_us": Meant("the same of the others, the median, µs", 1_200.0),
    "over": Meant("the server node that it is compared with, by its address", "10.0.0.1"),
    "overflows": Meant("connections that met a full listen queue, over all servers", 15),
    "overrun": Meant("packets that found no place on a path; null: none", 120),
    "p50_us": Meant("median latency, µs", 430_000.0),
    "package": Meant("a package, library or script, by its functions' names", "net/http"),
    "packets": Meant("packets that QUIC took for lost", 12),
    "packets_sent": Meant("datagrams that were sent to it", 24_000),
    "p99_us": Meant("p99 of the latency, µs", 2_100_000.0),
    "packed_bytes": Meant("bytes of an answer's head after HPACK, frames included", [52, 61]),
    "peak_per_s": Meant(
        "requests per second at its own peak; of a warm-up, in its best second", 42_000.0
    ),
    "paranoid": Meant("the kernel's setting of that name", 2),
    "phase": Meant("a phase of a day", "recovery"),
    "pids": Meant("process ids", [4711]),
    "pipeline": Meant("requests that may be under way on one connection", 1),
    "place": Meant("where in an answer", "/id"),
    "places": Meant("of each, how many connections its listen queue has room for", [5, 7]),
    "planned": Meant("what was planned", 3),
    "port": Meant("a TCP port", "8080"),
    "process": Meant(
        "the process that forwards connections, and its pid; null: it can't be seen",
        "docker-proxy (pid 812)",
    ),
    "processes": Meant("processes, how many", [1, 2]),
    "quantile": Meant("a quantile's name, as p99.9", "p99"),
    "quick_us": Meant("time of the fixed work that a tenth of the slices had at most, µs", 271.0),
    "quiet": Meant("the ratio to `other` by server CPU, where the machine is quiet", 1.02),
    "quiet_high": Meant("upper end of its 95 % interval", 1.05),
    "quiet_low": Meant("lower end of its 95 % interval", 0.99),
    "rate": Meant("requests per second that were offered", 20_000.0),
    "ratio": Meant("the ratio to the reference; of a twin, to its original", 1.12),
    "ratios": Meant("ratios to the reference", [1.25, 0.87]),
    "reason": Meant("why, in the words of the program that refused", "its port was taken"),
    "reference": Meant("the contender that ratios are to", "api-v1"),
    "reopened": Meant(
        "connections that were opened again after the contender closed one in use", 310
    ),
    "request": Meant("a request of the mix, by its name", "cart"),
    "requests": Meant("answers after which a connection is closed", [5, 100]),
    "retransmits": Meant("TCP segments sent again, over all servers; null: it was not counted", 42),
    "retries": Meant("handshakes that a server answered with a Retry", 240),
    "row": Meant("a row of an article", "table 1, nginx"),
    "run": Meant("a run's name", "2026-11-24-nightly"),
    "seen": Meant("the values in answers one after another", [7, 8, 9]),
    "segments": Meant("how many writes an answer is sent in", [2, 1]),
    "served": Meant("of each, how many connections it serves while they stay open", [4, 8]),
    "server_busy": Meant("share of its cores' time that the server used", 0.6),
    "setting": Meant("the name of a setting of HTTP/2", "INITIAL_WINDOW_SIZE"),
    "share": Meant("a share, 0 to 1", 0.12),
    "share_high": Meant("upper end of the share's 95 % interval", 0.15),
    "share_low": Meant("lower end of the share's 95 % interval", 0.1),
    "shares": Meant("the share of each of `kinds`, `sides` or `names`", [0.3, 0.05]),
    "short_high": Meant("upper end of the short slices' 95 % interval", 1.23),
    "short_low": Meant("lower end of the short slices' 95 % interval", 1.17),
    "short_ms": Meant("length of a short slice, ms; null: it is not known", 20),
    "short_ratio": Meant("the ratio in short slices", 1.2),
    "sides": Meant("`server` or `load`, whose node it is", ["server", "load"]),
    "silent": Meant("slices without a single answer", 4),
    "singly": Meant("whether one request was under way at a time", True),
    "slices": Meant("slices, all of them", 240),
    "slow_us": Meant("time of the fixed work that a tenth of the slices had at least, µs", 380.0),
    "slope": Meant("how ln ratio follows ln of the fixed work's time", -0.5),
    "slope_high": Meant("upper end of the slope's 95 % interval", -0.1),
    "slope_low": Meant("lower end of the slope's 95 % interval", -0.9),
    "solo_high": Meant("upper end of the solo 95 % interval", 1.04),
    "solo_low": Meant("lower end of the solo 95 % interval", 0.98),
    "solo_ratio": Meant("the ratio with one contender up at a time", 1.01),
    "sources": Meant("where the CPU time was read", ["cgroup-v2", "tree"]),
    "step_ms": Meant("the smallest difference that can be told, ms", 50.0),
    "step_us": Meant("the smallest difference of latencies that a tool prints, µs", 1_000.0),
    "strayed": Meant("the cores that it ran on and was not given, by number", [2]),
    "streams": Meant("streams that were requested on a connection", 128),
    "switches_more": Meant("context switches per request more than the other; null: as many", 1.0),
    "text": Meant(
        "words of others: of an article, a tool, a check, or an earlier version", "its body changes"
    ),
    "threads": Meant("threads at work, how many", [1, 6]),
    "time_was_up": Meant("whether a race had taken as long as it may", True),
    "times": Meant("slices in which it stalled", 8),
    "together": Meant("events that came at once with the one before", 3_000),
    "tool": Meant("a load tool", "wrk"),
    "trip_ns": Meant("how long a line of the cache takes to another core and back, ns", 400.0),
    "user": Meant("the name of a user of this machine, or the number", "www-data"),
    "unit": Meant("what is counted: `request`, or `message` over WebSocket", "request"),
    "unseen": Meant(
        "`servers` or `generator`, whose cores it is not known of", ["servers", "generator"]
    ),
    "upstream_busy": Meant("share of the time in which the upstream was at work", 0.95),
    "us_high": Meant("upper end of the 95 % interval of `us_more`", 6.6),
    "us_low": Meant("lower end of the 95 % interval of `us_more`", 5.6),
    "us_more": Meant("CPU time per request more than the other, µs", 6.1),
    "usual_trip_ns": Meant("the same in most blocks, ns", 85.0),
    "value_us": Meant("that quantile, µs", 204_000.0),
    "versions": Meant("versions of TLS", ["TLS 1.3", "TLS 1.2"]),
    "wait": Meant("what keeps threads from work: `thread`, `socket`, `disk` or `timer`", "thread"),
    "what": Meant(
        "what there are too few of: long blocks, boots, rounds, or rounds with the figure", "rounds"
    ),
    "whole_ratio": Meant(
        "the ratio over all requests, at full load; null where there is none", 0.97
    ),
    "work": Meant("what the kernel does, or `other_functions`", "interrupts"),
    "work_us": Meant("time of the fixed work where the machine is quiet, µs", 146.0),
    "workers": Meant("workers that were requested", 4),
    "wrong": Meant("answers of a wrong status, body or header", 180),
}
