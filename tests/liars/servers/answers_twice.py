#!/usr/bin/env python3
"""Sends two answers for one request in a hundred."""

from honest import Honest, answer, serve


class Liar(Honest):
    def answer(self, close: bool) -> None:
        times = 2 if self.count % 100 == 0 and not close else 1
        self.transport.write(times * answer(close=close))


serve(Liar)
