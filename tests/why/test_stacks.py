"""What is read of perf's and strace's output, written as they write it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.model.why import COMPILED_AT_RUN_TIME
from bakeoff.why.stacks import (
    Sample,
    calls_of_perf,
    calls_of_strace,
    counters_of_perf,
    family,
    samples,
)

SCRIPT = """\
  812 42613.474360123:
\tffffffff81d35f9f read_zero+0x1f ([kernel.kallsyms])
\tffffffff821ef691 do_syscall_64 ([kernel.kallsyms])
\t           f82ad read (/usr/lib/x86_64-linux-gnu/libc.so.6)
\t               0 [unknown] ([unknown])

812 42613.475906000:
\t           fcae8 ns::f(int, char const*)::{lambda(a;b)#1}::operator() (/home/a b/server (1))
\t    7ff790cc2a80 JS:*handle file:///a.js (/tmp/perf-812.map)

4711 7.000000001:

"""
TASKS = """\
    0     0.000000000: PERF_RECORD_FORK(812:812):(1:1)
    0     0.000000000: PERF_RECORD_COMM: a (/b):812/812
812 42613.474360123: PERF_RECORD_FORK(4711:4711):(812:812)
4711 42613.474360124: PERF_RECORD_FORK(4711:4712):(4711:4711)
4711 42613.474360125: PERF_RECORD_FORK(4713:4713):(4711:4712)
1 42613.474360126: PERF_RECORD_FORK(4714:4714):(1:1)
"""
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True)


def test_a_stack_is_its_functions_from_the_outermost_on() -> None:
    assert list(samples(SCRIPT.splitlines())) == [
        Sample(812, 42_613_474_360_123, "read;do_syscall_64_[k];read_zero_[k]"),
        Sample(
            812,
            42_613_475_906_000,
            "handle a.js;ns::f(int, char const*)::{lambda(a:b)#1}::operator()",
        ),
    ]


def test_processes_that_were_started_meanwhile_are_of_the_family() -> None:
    lines = [*TASKS.splitlines(), *SCRIPT.splitlines()]
    assert family(lines, [812]) == {812, 4711, 4713}
    assert [each.pid for each in samples(lines)] == [812, 812]


def test_code_without_a_map_has_one_name_in_every_process() -> None:
    lines = ["7 2.000000003:", "\t 7f00 [unknown] (/tmp/perf-7.map)", ""]
    assert [each.stack for each in samples(lines)] == [f"[{COMPILED_AT_RUN_TIME}]"]


def test_a_frame_without_a_symbol_is_called_by_its_file() -> None:
    lines = ["1 2.000000003:", "\t 7f00 [unknown] (/usr/lib/libssl.so.3)", ""]
    assert [each.stack for each in samples(lines)] == ["[libssl.so.3]"]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 2**22),
            st.integers(0, 10**15),
            st.lists(st.tuples(NAMES, st.booleans()), min_size=1, max_size=6),
        )
    )
)
def test_every_stack_is_read_as_it_was_written(
    written: list[tuple[int, int, list[tuple[str, bool]]]],
) -> None:
    lines: list[str] = []
    for pid, at_ns, frames in written:
        lines.append(f"{pid:7d} {at_ns // 10**9}.{at_ns % 10**9:09d}: ")
        for name, in_kernel in reversed(frames):
            address = 0xFFFFFFFF81000000 if in_kernel else 0x55D0
            lines.append(f"\t{address:16x} {name} ({'[kernel.kallsyms]' if in_kernel else '/s'})")
        lines.append("")
    expected = [
        Sample(pid, at_ns, ";".join(f"{n}_[k]" if kernel else n for n, kernel in frames))
        for pid, at_ns, frames in written
    ]
    assert list(samples(lines)) == expected


@given(st.lists(st.text(st.characters(codec="utf-8"))))
def test_whatever_is_printed_is_read(lines: list[str]) -> None:
    assert all(sample.stack for sample in samples(lines))
    for read in (calls_of_perf, calls_of_strace, counters_of_perf):
        assert all(n >= 0 for n in read("\n".join(lines)).values())


def test_calls_of_all_threads_are_added_up() -> None:
    table = """
 Summary of events:

 {name} ({tid}), 7724 events, 100.0%

   syscall            calls  errors  total       min       avg       max       stddev
                                     (msec)    (msec)    (msec)    (msec)        (%)
   --------------- --------  ------ -------- --------- --------- ---------     ------
   read                3858      0   211.240     0.010     0.055    32.072     23.68%
   clock_nanosleep        4      1    23.880     0.000     5.970    11.324     41.05%
   exit_group             1      0     0.000     0.000     0.000     0.000      0.00%
"""
    text = table.format(name="python3", tid=1) + table.format(name="my server", tid=2)
    assert calls_of_perf(text) == {"read": 7716, "clock_nanosleep": 8, "exit_group": 2}


def test_calls_that_strace_counted() -> None:
    text = """\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 59.09    0.000026           5         5           getppid
 40.91    0.000018           0        20         2 openat
------ ----------- ----------- --------- --------- ----------------
100.00    0.000044           1        25         2 total
"""
    assert calls_of_strace(text) == {"getppid": 5, "openat": 20}


def test_what_cores_count_and_nothing_of_what_they_do_not() -> None:
    """As `perf stat -x ';'` writes it: on a server, on one with cores of two kinds, without rights
    to see the kernel, and in a virtual machine, where a count is never 0."""
    plain = """\
# started on Fri Nov 27 17:20:01 2026

34521998;;instructions;20811034;100.00;1.21;insn per cycle
28530577;;cycles;20811034;100.00;;
<not counted>;;cache-misses;0;0.00;;
120034;;branch-misses;20811034;74.83;;
"""
    assert counters_of_perf(plain) == {
        "instructions": 34_521_998,
        "cycles": 28_530_577,
        "branch-misses": 120_034,
    }
    of_two_kinds = """\
<not counted>;;cpu_atom/instructions/u;0;0.00;;
2114632;;cpu_core/instructions/u;1032845;100.00;2.05;insn per cycle
40;;cpu_atom/cycles/u;3;0.30;;
1032845;;cpu_core/cycles/u;1032845;100.00;;
"""
    assert counters_of_perf(of_two_kinds) == {"instructions:u": 2_114_632, "cycles:u": 1_032_885}
    virtual = "".join(
        f"<not supported>;;{name};0;100.00;;\n" for name in ("instructions", "cycles")
    )
    assert counters_of_perf(virtual) == {}
