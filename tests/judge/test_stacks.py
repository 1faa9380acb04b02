"""A stack has one line of the table, and a function's name shows its package."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.judge.stacks import Key, key_of, package_of


@pytest.mark.parametrize(
    ("stack", "key"),
    [
        ("main;parse", Key("function", "parse")),
        ("[unknown];[node]", Key("function", "[node]")),
        ("main;send;do_syscall_64_[k];__sys_sendto_[k];tcp_sendmsg_[k]",
         Key("call", "sendto")),
        ("main;do_syscall_64_[k];ksys_write_[k];vfs_write_[k]", Key("call", "write")),
        ("main;do_syscall_64_[k];x64_sys_call_[k];__x64_sys_getppid_[k]", Key("call", "getppid")),
        ("main;el0_svc_[k];el0_svc_common_[k];invoke_syscall_[k];__arm64_sys_read_[k]",
         Key("call", "read")),
        ("main;do_syscall_64_[k];do_writev_[k]", Key("call", "writev")),
        ("main;do_syscall_64_[k]", Key("work", "entering")),
        ("main;do_syscall_64_[k];exit_to_user_mode_loop_[k];task_work_run_[k]",
         Key("work", "entering")),
        ("main;do_syscall_64_[k];__do_sys_io_uring_enter_[k];io_issue_sqe_[k];io_send_[k];a_[k]",
         Key("call", "io_uring_enter: io_send")),
        ("main;wait;do_syscall_64_[k];__x64_sys_epoll_wait_[k];do_epoll_wait_[k];schedule_[k]",
         Key("work", "scheduling")),
        ("main;do_syscall_64_[k];__sys_sendto_[k];tcp_v4_rcv_[k];try_to_wake_up_[k]",
         Key("work", "scheduling")),
        ("main;asm_exc_page_fault_[k];handle_mm_fault_[k]", Key("work", "page_faults")),
        ("main;asm_sysvec_apic_timer_interrupt_[k];irq_exit_rcu_[k]", Key("work", "interrupts")),
        ("ret_from_fork_[k];kthread_[k]", Key("work", "other")),
        ("main;[kernel.kallsyms]_[k]", Key("work", "unnamed")),
        ("main;do_syscall_64_[k];schedule_[k];__perf_event_task_sched_out_[k]", None),
    ],
)  # fmt: skip
def test_each_stack_has_one_line(stack: str, key: Key | None) -> None:
    assert key_of(stack) == key


@given(
    st.lists(
        st.sampled_from(
            ["main", "do_syscall_64_[k]", "ksys_read_[k]", "schedule_[k]", "x_[k]", "f"]
        ),
        min_size=1,
    )
)
def test_every_stack_has_a_line(frames: list[str]) -> None:
    assert key_of(";".join(frames))


@pytest.mark.parametrize(
    ("function", "package"),
    [
        ("runtime.mallocgc", "runtime"),
        ("runtime.(*mspan).sweep", "runtime"),
        ("main.main.func1", "main"),
        ("time.Time.AppendFormat", "time"),
        ("net/http.(*conn).serve", "net/http"),
        ("github.com/gin-gonic/gin.(*Engine).ServeHTTP", "github.com/gin-gonic/gin"),
        ("java.util.HashMap.get", "java.util"),
        ("io.netty.channel.AbstractChannelHandlerContext.write", "io.netty.channel"),
        ("v8::internal::Heap::Collect", "v8"),
        ("non-virtual thunk to node::LibuvStreamWrap::GetAsyncWrap()", "node"),
        ("<hyper::proto::h1::Conn as core::future::Future>::poll", "hyper"),
        ("std::_Rb_tree<node::Parser*>::_M_insert_unique", "std"),
        ("Builtins_StringEqual", "Builtins"),
        ("write_ node:internal/streams/writable", "node:internal/streams/writable"),
        ("send fastify/lib/reply.js", "fastify"),
        ("route @hono/node-server/dist/index.mjs", "@hono/node-server"),
        ("arithmetic planted.js", "planted"),
        ("_PyEval_EvalFrameDefault", None),
        ("clock_nanosleep@GLIBC_2.2.5", None),
        ("operator new", None),
        ("[libpython3.11.so.1.0]", None),
        ("[compiled at run time]", None),
    ],
)  # fmt: skip
def test_the_package_of_a_function_is_in_its_name(function: str, package: str | None) -> None:
    assert package_of(function) == package
