#!/usr/bin/env python3
"""Lets two connections wait to be accepted; the kernel drops the others."""

from honest import serve

serve(backlog=1)
