#!/usr/bin/env python3
"""Computes while nobody asks it anything: 5 ms of every 50."""

import asyncio
import time

from honest import serve


def burn() -> None:
    until = time.perf_counter() + 0.005
    while time.perf_counter() < until:
        pass
    asyncio.get_running_loop().call_later(0.045, burn)


serve(began=burn)
