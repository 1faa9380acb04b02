"""The report as CSV: a row per entry, every figure unrounded, its unit in the column's name."""

import csv as csv_format
import io

from bakeoff.model.audit import Work
from bakeoff.model.verdict import Latency, Verdict, VerdictEntry

_LATENCIES = ("mean", "p50", "p75", "p90", "p99", "p99_9", "max")
_ERRORS = ("connect", "read", "write", "timeout", "status", "mismatch")


def csv(verdict: Verdict) -> str:
    """Entries in the verdict's order, then the skipped ones, which have a reason and no figures."""
    out = io.StringIO()
    rows = [_row(verdict, entry) for entry in verdict.entries]
    if rows:
        writer = csv_format.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        writer.writerows(
            {
                "run": verdict.run,
                "workload": verdict.workload,
                "name": each.name,
                "valid": "skipped",
                "reasons": each.reason,
            }
            for each in verdict.skipped
        )
    return out.getvalue()


def _row(verdict: Verdict, entry: VerdictEntry) -> dict[str, object]:
    best, worst = entry.rank or (None, None)
    cpu, memory, weight = entry.cpu_us_per_request, entry.memory_mib, entry.bytes_per_response
    floor, long_slices = verdict.noise_floor, entry.long_slices
    return {
        "run": verdict.run,
        "workload": verdict.workload,
        "name": entry.name,
        "title": entry.title,
        "valid": "yes" if entry.valid else "no",
        "reference": verdict.reference,
        "rank_best": best,
        "rank_worst": worst,
        "letters": entry.letters,
        "ratio": entry.ratio,
        "ratio_low_95": entry.low,
        "ratio_high_95": entry.high,
        "n_blocks": entry.n,
        "n_boots": len(entry.boots),
        "ratio_long_slices": long_slices and long_slices.ratio,
        "ratio_long_slices_low_95": long_slices and long_slices.low,
        "ratio_long_slices_high_95": long_slices and long_slices.high,
        "n_long_blocks": long_slices and long_slices.n,
        "noise_floor_twin": floor and floor.name,
        "noise_floor_ratio": floor and floor.ratio,
        "noise_floor_low_95": floor and floor.low,
        "noise_floor_high_95": floor and floor.high,
        "requests_per_s": entry.requests_per_s,
        **_latencies(entry.latency_us),
        "server_cpu_us_per_request": cpu.server,
        "server_user_us_per_request": cpu.server_user,
        "server_system_us_per_request": cpu.server_system,
        "generator_cpu_us_per_request": cpu.client,
        "memory_idle_mib": memory.idle,
        "memory_loaded_mib": memory.loaded,
        "head_bytes": weight.head,
        "body_bytes": weight.body,
        "requests": entry.requests,
        "measured_s": entry.measured_s,
        "connects": entry.connects,
        **{f"errors_{kind}": getattr(entry.errors, kind) for kind in _ERRORS},
        "limited_by": entry.limited_by,
        "server_busy_share": entry.server_busy,
        "generator_busy_share": entry.client_busy,
        "leak_share": entry.leak_share,
        "workers": entry.workers,
        **_work(entry.work),
        "time_to_ready_ms": entry.time_to_ready_ms,
        "version": entry.version,
        "reasons": "; ".join(entry.reasons),
        "warnings": "; ".join(entry.warnings),
    }


def _work(work: Work | None) -> dict[str, object]:
    crew, audit = work and work.crew, work and work.audit
    return {
        "processes": crew and crew.processes,
        "threads": crew and crew.threads,
        "processes_at_work": crew and crew.processes_at_work,
        "threads_at_work": crew and crew.threads_at_work,
        "segments_per_answer": audit and audit.segments,
        "date": audit and audit.date,
        "log_bytes_per_request": work and work.written_per_request,
    }


def _latencies(latency: Latency | None) -> dict[str, float | None]:
    return {f"latency_{name}_us": getattr(latency, name, None) for name in _LATENCIES}
