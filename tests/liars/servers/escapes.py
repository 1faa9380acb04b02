#!/usr/bin/env python3
"""Serves from two workers that left its session and its process group: setsid, and a fork more."""

import os
import signal

from honest import listener, serve

shared = listener()
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            serve(given=shared)
        os._exit(0)
    os.wait()
signal.pause()
