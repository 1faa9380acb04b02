"""The conditions of a simulated race where none are taken from a run, and where they come from."""

from bakeoff.model.simulation import Conditions

USUAL = Conditions(
    source="a shared virtual machine with 2 cores (records/2026-11-21-default-race)",
    # libuv and http_parser there; slices, ramp and connections are those of its plan.
    requests_per_s=100_000,
    connections=64,
    short_ms=20,
    long_ms=250,
    ramp_ms=5,
    # From a slice's end to the next one's ramp: drain, accounting, a command to the engine.
    gap_ms=2.0,
    # Mean ln throughput of a block's six slices: sd 0.2, autocorrelation 0.72 at 0.45 s and 0.1 at
    # 2 s. Bursts are part of that sd; the two nginx, 0.15 s apart, differed by 0.065 (robust sd),
    # which an sd of 0.15 explains alone.
    drift_sd=0.15,
    drift_s=1.4,
    # One server's 20 ms slices, 30 ms apart, paired: 0.03 to 0.04 in same-server-twice, of which
    # the drift above makes 0.03.
    slice_sd=0.02,
    # libuv over hyper is 1.5 % further ahead in slices of 20 ms than of 250 ms (METHODOLOGY.md).
    cold_us=300,
    # Steal was 0.35 % of two cores in same-server-twice; a tick of 10 ms at a time.
    steals_per_s=0.7,
    steal_ms=10,
    # Ratios of two copies from boot to boot: Go 0.1 to 0.5 %, Node up to 1.1 % (boot_spread.py).
    boot_sd=0.002,
    start_order=0.001,
)
