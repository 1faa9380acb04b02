"""Machines without io_uring."""

import ctypes
import errno
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.brick.conftest import ROOT, ended, program, running

pytestmark = pytest.mark.e2e

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
# io_uring_setup to io_uring_register have these numbers on all machines.
FIRST, LAST = 425, 427


def forbid_io_uring() -> None:
    """For this process and those it starts: the kernel answers as in most containers."""
    load, at_least, greater, give_back = 0x20, 0x35, 0x25, 0x06
    refused, allowed = 0x0005_0000 | errno.EPERM, 0x7FFF_0000
    steps = [
        (load, 0, 0, 0),  # The number of the system call.
        (at_least, 0, 2, FIRST),
        (greater, 1, 0, LAST),
        (give_back, 0, 0, refused),
        (give_back, 0, 0, allowed),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    filters = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    )
    libc = ctypes.CDLL(None, use_errno=True)
    for call in (
        (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(filters), 0, 0),
    ):
        if libc.prctl(*(ctypes.c_ulong(word) for word in call)) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


def test_automatic_serves_by_epoll_and_says_so() -> None:
    with forbidden("automatic") as server:
        assert server.stdout
        url, _, io = server.stdout.readline().strip().partition(" by ")
        assert io == "epoll"
        with urlopen(url, timeout=10) as answer:
            assert answer.read() == b"Hello, World!"


def test_uring_is_refused_with_the_reason() -> None:
    with forbidden("uring") as server:
        assert server.stdout and server.stderr
        assert server.wait(timeout=10) == 1
        assert server.stdout.read() == ""
        said = server.stderr.read()
    assert said.count("\n") == 1
    assert "io_uring" in said and "Operation not permitted" in said


@pytest.mark.slow
def test_a_build_without_liburing_serves(tmp_path: Path) -> None:
    target = "brick-yardstick"
    options = ["-DBRICK_URING=OFF", "-DBRICK_BENCH=OFF", "-DBRICK_TESTS=OFF"]
    configured = ended("cmake", "-S", ROOT / "brick", "-B", tmp_path, *options)
    built = ended("cmake", "--build", tmp_path, "--parallel", "2", "--target", target)
    assert built.returncode == 0, configured.stderr + built.stderr
    with (
        running([tmp_path / target, "--port", "0"]) as server,
        urlopen(f"http://127.0.0.1:{server.port}/", timeout=10) as answer,
    ):
        assert answer.read() == b"Hello, World!"
    refused = ended(tmp_path / target, "--port", "0", "--io", "uring")
    assert refused.returncode == 1
    assert "this brick was built without liburing" in refused.stderr


@contextmanager
def forbidden(io: str) -> Iterator[subprocess.Popen[str]]:
    server = subprocess.Popen(
        [program("brick-besieged"), "--port", "0", "--io", io],
        preexec_fn=forbid_io_uring,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with server:
        try:
            yield server
        finally:
            server.kill()
