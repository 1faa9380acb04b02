#!/usr/bin/env python3
"""Formats its Date once and sends it for ever."""

from honest import Honest, answer, serve

ANSWERS = {close: answer(close=close) for close in (True, False)}


class Liar(Honest):
    def answer(self, close: bool) -> None:
        self.transport.write(ANSWERS[close])


serve(Liar)
