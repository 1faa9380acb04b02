"""Why: the kernel's profilers on running servers. Only this package knows perf and strace."""

from bakeoff.why.profiler import Profiler, ProfilerFailed, Sampling
from bakeoff.why.stacks import Sample
