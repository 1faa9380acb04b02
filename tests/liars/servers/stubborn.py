#!/usr/bin/env python3
"""Ignores SIGTERM: nothing but SIGKILL ends it."""

import signal

from honest import serve

serve(began=lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN))
