"""Why: what the kernel's profilers say of running servers. It alone knows perf and strace."""

from bakeoff.why.profiler import Profiler, ProfilerFailed, Sampling
from bakeoff.why.stacks import Sample
