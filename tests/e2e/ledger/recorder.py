"""A server that ends at any request but those that it expects; run as a program.

`recorder.py EXPECTED`: a JSON file with `requests`, each with `method`, `path` (a regular
expression), `headers` (name in lower case → regular expression), `body` and `answer`, and `closes`:
whether `Connection: close` may be said. What ends it is written into EXPECTED.refused. It speaks
what PROTOCOL says, at PORT. A request that is not complete when its connection ends has to be the
beginning of one that is expected.
"""

import asyncio
import json
import os
import re
import ssl
import sys
from pathlib import Path
from typing import Any, NoReturn

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded
from h2.exceptions import ProtocolError

EXPECTED = Path(sys.argv[1])
GIVEN = json.loads(EXPECTED.read_text())
Head = list[tuple[str, str]]


def refuse(what: object) -> NoReturn:
    EXPECTED.with_suffix(".refused").write_text(f"{what!r}\n")
    print(f"refused: {what!r}", flush=True)
    os._exit(9)


def answer_to(method: str, path: str, head: Head, body: bytes) -> str:
    """The answer to a request that is expected."""
    for each in GIVEN["requests"]:
        wanted = dict(each["headers"])
        if each["body"] or method == "POST":
            wanted["content-length"] = str(len(each["body"].encode()))
        told = {name: value for name, value in head if name not in ("host", "connection")}
        if (
            method == each["method"]
            and re.fullmatch(each["path"], path)
            and len(head) == len(dict(head))
            and told.keys() == wanted.keys()
            and all(re.fullmatch(wanted[name], told[name]) for name in wanted)
            and body.decode() == each["body"]
        ):
            return str(each["answer"])
    refuse((method, path, head, body[:200]))


class Http1(asyncio.Protocol):
    def connection_made(self, transport: Any) -> None:
        self.transport, self.held = transport, b""

    def data_received(self, data: bytes) -> None:
        self.held += data
        while b"\r\n\r\n" in self.held:
            text, _, rest = self.held.partition(b"\r\n\r\n")
            first, *lines = text.decode().split("\r\n")
            head = [
                (line.partition(":")[0].lower(), line.partition(":")[2].strip()) for line in lines
            ]
            length = int(dict(head).get("content-length", 0))
            if len(rest) < length:
                return
            body, self.held = rest[:length], rest[length:]
            self.answer(first, head, body)

    def answer(self, first: str, head: Head, body: bytes) -> None:
        said = dict(head)
        if said.get("host") != f"127.0.0.1:{os.environ['PORT']}" or not first.endswith(" HTTP/1.1"):
            refuse((first, head))
        close = said.get("connection")
        if close is not None and not (close == "close" and GIVEN["closes"]):
            refuse((first, head))
        method, path, _ = first.split(" ")
        content = answer_to(method, path, head, body).encode()
        closing = "Connection: close\r\n" if close else ""
        start = f"HTTP/1.1 200 OK\r\nContent-Length: {len(content)}\r\n{closing}\r\n"
        self.transport.write(start.encode() + content)
        if close:
            self.transport.close()

    def connection_lost(self, _error: Exception | None) -> None:
        line = self.held.split(b"\r\n")[0].decode()
        begins = [f"{each['method']} " for each in GIVEN["requests"]]
        if line and not any(each.startswith(line) or line.startswith(each) for each in begins):
            refuse(self.held)
        if b"\r\n\r\n" not in self.held and line.count(" ") == 2 and not line.endswith("HTTP/1.1"):
            refuse(self.held)


class Http2(asyncio.Protocol):
    def connection_made(self, transport: Any) -> None:
        self.transport, self.bodies = transport, dict[int, bytes]()
        self.heads: dict[int, Head] = {}
        self.h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.transport.write(self.h2.data_to_send())

    def data_received(self, data: bytes) -> None:
        try:
            events = self.h2.receive_data(data)
        except ProtocolError as error:
            refuse(error)
        for event in events:
            if isinstance(event, RequestReceived):
                self.heads[event.stream_id] = [(str(n), str(v)) for n, v in event.headers]
                self.bodies[event.stream_id] = b""
            elif isinstance(event, DataReceived):
                self.bodies[event.stream_id] += event.data
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, StreamEnded):
                self.answer(event.stream_id)
        self.transport.write(self.h2.data_to_send())

    def answer(self, stream: int) -> None:
        every = self.heads.pop(stream)
        pseudo = {name: value for name, value in every if name.startswith(":")}
        if pseudo[":authority"] != f"127.0.0.1:{os.environ['PORT']}":
            refuse(every)
        head = [each for each in every if not each[0].startswith(":")]
        content = answer_to(pseudo[":method"], pseudo[":path"], head, self.bodies.pop(stream))
        fields = [(":status", "200"), ("content-length", str(len(content.encode())))]
        self.h2.send_headers(stream, fields)
        self.h2.send_data(stream, content.encode(), end_stream=True)


async def main() -> None:
    speaks = os.environ.get("PROTOCOL", "h1")
    secure = None
    if speaks in ("h1-tls", "h2"):
        secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        secure.load_cert_chain(os.environ["TLS_CERT"], os.environ["TLS_KEY"])
        secure.set_alpn_protocols(["h2" if speaks == "h2" else "http/1.1"])
    kind = Http2 if speaks in ("h2", "h2c") else Http1
    loop = asyncio.get_running_loop()
    port = int(os.environ["PORT"])
    server = await loop.create_server(kind, "127.0.0.1", port, ssl=secure, backlog=1024)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
