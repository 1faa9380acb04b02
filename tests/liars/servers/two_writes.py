#!/usr/bin/env python3
"""Answers in two writes, with Nagle's algorithm on."""

import socket

from honest import BODY, Honest, answer, serve


class Liar(Honest):
    def accepted(self) -> None:
        given = self.transport.get_extra_info("socket")
        given.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 0)

    def answer(self, close: bool) -> None:
        whole = answer(close=close)
        self.transport.write(whole[: -len(BODY)])
        self.transport.write(BODY)


serve(Liar)
