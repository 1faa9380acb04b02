"""Clients that send a request byte by byte; run as a program by `slow_clients.py`.

It takes address, port, number, protocol, server name and the request's bytes (base64) as arguments,
and ends with its input, or after a minute. It imports nothing of bakeoff, so that it starts in
milliseconds.
"""

import asyncio
import base64
import contextlib
import ssl
import sys
from itertools import cycle

CONNECT_S = 2.0
BYTE_EVERY_S = 0.2
LONGEST_S = 60.0


class Clients:
    """Open connections, and a byte for each of them from time to time."""

    def __init__(self) -> None:
        self.held = 0

    async def one(self, place: float, ready: asyncio.Event, words: list[str]) -> None:
        """One client: connects, and sends a byte at a time until the server closes."""
        address, port, _, protocol, name, sent = words
        request = base64.b64decode(sent)
        secure = None
        if protocol in ("h1-tls", "h2"):
            secure = ssl.create_default_context()
            secure.check_hostname, secure.verify_mode = False, ssl.CERT_NONE
            secure.set_alpn_protocols(["h2" if protocol == "h2" else "http/1.1"])
        connecting = asyncio.open_connection(
            address, int(port), ssl=secure, server_hostname=name if secure else None
        )
        try:
            reader, writer = await asyncio.wait_for(connecting, CONNECT_S)
        except (OSError, TimeoutError):
            return
        self.held += 1
        try:
            await ready.wait()
            await asyncio.sleep(place * BYTE_EVERY_S)
            # A second request on a connection of HTTP/2 has other bytes.
            for byte in request if protocol in ("h2", "h2c") else cycle(request):
                writer.write(bytes([byte]))
                await writer.drain()
                with contextlib.suppress(TimeoutError):
                    if not await asyncio.wait_for(reader.read(1 << 16), BYTE_EVERY_S):
                        break
            else:
                await reader.read()
        except OSError:
            pass
        finally:
            self.held -= 1
            writer.transport.abort()


async def main(words: list[str]) -> None:
    """Connect all, print how many are open, and go on until the input ends."""
    clients, ready, count = Clients(), asyncio.Event(), int(words[2])
    every = [asyncio.create_task(clients.one(n / count, ready, words)) for n in range(count)]
    done_s, step_s = 0.0, 0.01
    while clients.held < sum(not each.done() for each in every) and done_s < CONNECT_S:
        await asyncio.sleep(step_s)
        done_s += step_s
    sys.stdout.write(f"{clients.held}\n")
    sys.stdout.flush()
    ready.set()
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), ended.set)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(ended.wait(), LONGEST_S)
    sys.stdout.write(f"{clients.held}\n")
    sys.stdout.flush()
    for each in every:
        each.cancel()
    await asyncio.gather(*every, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
