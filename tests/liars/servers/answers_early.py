#!/usr/bin/env python3
"""Answers whatever comes, before the request is complete."""

from honest import Honest, serve


class Liar(Honest):
    def data_received(self, data: bytes) -> None:
        close = b"onnection: close" in data
        self.answer(close)
        if close:
            self.transport.close()


serve(Liar)
