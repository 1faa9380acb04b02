#!/usr/bin/env python3
"""Keeps 1 MiB more every second, whatever it is asked."""

import asyncio

from honest import serve

KEPT: list[bytes] = []


def leak() -> None:
    KEPT.append(b"x" * (1 << 18))
    asyncio.get_running_loop().call_later(0.25, leak)


serve(began=leak)
