#!/usr/bin/env python3
"""Sends half a chunk and then nothing, to a request in every 0.6 s of load, first after 0.3."""

from honest import Honest, Loaded, serve

HALF = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nd\r\nHello,"
LOADED = Loaded()
LOADED.seconds = 0.3


class Liar(Honest):
    def answer(self, close: bool) -> None:
        if LOADED.request() > 0.6:
            LOADED.seconds = 0.0
            self.transport.write(HALF)
        else:
            super().answer(close)


serve(Liar)
