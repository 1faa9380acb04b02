"""The tables of how and where a race was measured."""

from bakeoff.model.machine import Machine
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures, words
from bakeoff.report.figures import MISSING
from bakeoff.report.tables import Table


def machine_table(machine: Machine) -> Table:
    """Where it was measured."""
    active = {k: v for k, v in machine.mitigations.items() if not v.startswith("Not affected")}
    ports = machine.port_range
    facts: dict[str, object] = {
        "taken at": machine.taken_at,
        "kernel": machine.kernel,
        "distribution": machine.distribution,
        "processor": machine.cpu_model,
        "processors": machine.cpus,
        "threads per core": machine.threads_per_core,
        "memory": f"{machine.memory_mib:,} MiB",
        "virtualisation": machine.virtualisation,
        "governor": machine.governor,
        "turbo": machine.turbo,
        "mitigations": "; ".join(f"{name}: {how}" for name, how in active.items()) or "none active",
        "clock source": machine.clock_source,
        "cgroup": machine.cgroup,
        "CPU quota": f"{machine.cpu_quota:g} processors" if machine.cpu_quota else "none",
        "somaxconn": machine.somaxconn,
        "ephemeral ports": f"{ports[0]} to {ports[1]}" if ports else None,
        "open files": f"{machine.open_files_limit:,}",
        "tcp_tw_reuse": machine.tcp_tw_reuse,
        "load average before": f"{machine.load_average:.2f}",
        "io_uring": machine.io_uring,
        "Python": machine.python,
        "bakeoff": machine.bakeoff,
        "engine": machine.engine,
    }
    return _facts("machine", "Machine", "– is what the machine doesn't say.", facts)


def method_table(verdict: Verdict) -> Table:
    """How it was measured."""
    facts: dict[str, object] = {
        "mode": words.loop(verdict)
        + (": the next request follows the answer" if verdict.mode == "closed" else ""),
        "connections": f"{verdict.connections} per contender, {verdict.connection}",
        **({"pipeline": f"{verdict.pipeline} requests ahead"} if verdict.pipeline > 1 else {}),
        "pinning": words.cores(verdict.cores),
        "slices": words.slice_lengths(verdict),
        "blocks": f"{verdict.blocks:,} over {figures.plural(verdict.boots, 'boot')}",
        "measured": figures.duration(verdict.measured_s * 1e6),
        "contenders up at a time": "one" if verdict.solo else "all",
        "steal": figures.percent(verdict.steal_share),
        "seed": verdict.seed,
        "complete": "yes" if verdict.complete else "no: the run ended early",
    }
    return _facts("method", "How it was measured", "", facts)


def _facts(slug: str, title: str, note: str, facts: dict[str, object]) -> Table:
    said = {True: "on", False: "off", None: MISSING}
    rows = tuple(
        (
            name,
            said[value]
            if value is None or isinstance(value, bool)
            else words.printable(str(value)),
        )
        for name, value in facts.items()
    )
    return Table(slug, title, note, ("fact", "value"), rows, figures=False)
