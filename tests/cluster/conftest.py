"""A cluster of three machines for all tests, and a folder to call bakeoff in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.machines import Machines, machines, why_not


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """Three machines with Ray between them."""
    if reason := why_not():
        pytest.skip(reason)
    yield from machines(tmp_path_factory.mktemp("machines"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a space in its name, and two servers in it that are one program."""
    folder = tmp_path / "a place"
    folder.mkdir()
    (folder / "serve.py").write_text(SERVER)
    return folder


# Small enough to be sent, quick enough to be started anew in each draw.
SERVER = """
import asyncio, os

HEAD = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\nContent-Length: 13\\r\\n\\r\\n"
ANSWER = HEAD + b"Hello, World!"

class Server(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.held = transport, b""
    def data_received(self, data):
        *whole, self.held = (self.held + data).split(b"\\r\\n\\r\\n")
        for request in whole:
            self.transport.write(ANSWER)
            if b"onnection: close" in request:
                self.transport.close()

async def serve():
    listening = asyncio.get_running_loop().create_server
    server = await listening(Server, os.environ["HOST"], int(os.environ["PORT"]))
    await server.serve_forever()

asyncio.run(serve())
"""
