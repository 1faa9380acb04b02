"""What a thread was at work for, by its stack: the line of the table that it belongs to."""

import re
from typing import NamedTuple

from bakeoff.model.why import Part


class Key(NamedTuple):
    """Which line of the table a stack belongs to."""

    part: Part
    name: str


OF_KERNEL = "_[k]"
_PROFILER = ("perf_", "__perf_", "ctx_sched", "visit_groups", "merge_sched_in", "event_sched")
_FAULTS = ("asm_exc_page_fault", "exc_page_fault", "do_user_addr_fault", "do_page_fault")
_FAULTS_ARM = ("do_mem_abort", "el0_da", "el0_ia")
_SCHEDULING = (
    *("schedule", "__schedule", "preempt_schedule", "finish_task_switch", "try_to_wake_up"),
    *("ttwu_", "__wake_up", "wake_up_"),
)
_INTERRUPTS = ("asm_sysvec", "asm_common_interrupt", "el0_irq", "el1_irq", "el0t_64_irq", "el1h_64")
_ENTRIES = ("do_syscall_64", "x64_sys_call", "el0_svc_common", "invoke_syscall", "do_fast_syscall")
_PREFIX = re.compile(r"^(?:__(?:x64|arm64|se|do)_sys_|__sys_|ksys_|do_sys_|sys_|__do_|do_)")
_SUFFIX = re.compile(r"\.(?:isra|constprop|part|cold)(?:\.\d+)?")
_RING_WORK = re.compile(
    r"io_(?:send|sendmsg|send_zc|recv|recvmsg|read|write|accept|connect|timeout|poll_add|close)"
)


def key_of(stack: str) -> Key | None:
    """The line of a stack, as in `WhyStacks`; None: the profiler's own work."""
    frames = stack.split(";")
    if not frames[-1].endswith(OF_KERNEL):
        return Key("function", frames[-1])
    own = [
        _SUFFIX.sub("", each.removesuffix(OF_KERNEL)) for each in frames if each.endswith(OF_KERNEL)
    ]
    if any(each.startswith(_PROFILER) for each in own):
        return None
    if any(each.startswith((*_FAULTS, *_FAULTS_ARM)) for each in own):
        return Key("work", "page_faults")
    if any(each.startswith(_SCHEDULING) for each in own):
        return Key("work", "scheduling")
    if any(each.startswith(_INTERRUPTS) for each in own):
        return Key("work", "interrupts")
    entered = [at for at, each in enumerate(own) if each.startswith(_ENTRIES)]
    if not entered:
        return Key("work", "other" if own[0][:1] != "[" else "unnamed")
    within = own[entered[-1] + 1 :]
    if not within or within[0].startswith(("exit_to_user", "syscall_", "entry_", "__get_user")):
        return Key("work", "entering")
    call = _PREFIX.sub("", within[0])
    ring = next((each for each in within if _RING_WORK.fullmatch(each)), "")
    return Key("call", f"{call}: {ring}" if ring and call == "io_uring_enter" else call)
