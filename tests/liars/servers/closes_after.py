#!/usr/bin/env python3
"""Closes a connection after 100 requests, without having said so."""

from honest import Honest, serve


class Liar(Honest):
    def answer(self, close: bool) -> None:
        super().answer(close)
        if self.answered == 100:
            self.transport.close()


serve(Liar)
