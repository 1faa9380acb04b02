"""curl as a client that knows nothing of us: one request over one protocol, and what it met."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bakeoff.model.protocol import OVER_TLS, Protocol
from bakeoff.model.request import RequestSection

FLAGS: dict[Protocol, str] = {
    "h1": "--http1.1",
    "h1-tls": "--http1.1",
    "h2c": "--http2-prior-knowledge",
    "h2": "--http2",
}
"""`--http2` offers HTTP/1.1, too: who serves h2 must prefer it."""

# Both sides of each pair, the one that a race wants first: who has no order of its own takes that.
CIPHERS = (
    *("--tls13-ciphers", "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384"),
    *("--ciphers", "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384"),
)


class CurlFailed(Exception):
    """curl got no answer; the message is all that it said."""


@dataclass(frozen=True)
class Met:
    """What curl met. `version` is "1.1" or "2"; `alpn`, `tls` and `cipher` are empty without."""

    status: int
    version: str
    headers: dict[str, str]
    body: bytes
    alpn: str
    tls: str
    cipher: str


def ask(
    address: str, protocol: Protocol, request: RequestSection, path: str, ca: Path, *more: str
) -> Met:
    """One request. `more` are further words for curl. Raises `CurlFailed`."""
    scheme = "https" if protocol in OVER_TLS else "http"
    words = ["curl", "--verbose", "--silent", "--show-error", "--include", "--max-time", "10"]
    words += [FLAGS[protocol], "--cacert", str(ca), "--noproxy", "*", *CIPHERS, *more]
    words += ["--request", request.method]
    for name, value in request.headers.items():
        words += ["--header", f"{name}: {value}"]
    if request.content:
        # Without `Expect: 100-continue`, which curl sends before a long body.
        words += ["--data-binary", "@-", "--header", "Expect:"]
    words.append(f"{scheme}://{address}{path}")
    done = subprocess.run(
        words, input=request.content, capture_output=True, check=False, timeout=20
    )
    said = done.stderr.decode(errors="replace")
    if done.returncode:
        raise CurlFailed(said)
    return _met(done.stdout, said)


def _met(answer: bytes, said: str) -> Met:
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    version, status = re.match(r"HTTP/(\S+) (\d+)", first).groups()  # type: ignore[union-attr]
    pairs = (line.partition(":") for line in rest)
    tls = re.search(r"SSL connection using (\S+) / (\S+)", said)
    alpn = re.search(r"ALPN: server accepted (\S+)", said)
    return Met(
        status=int(status),
        version=version,
        headers={name.strip().lower(): value.strip() for name, _, value in pairs},
        body=body,
        alpn=alpn[1] if alpn else "",
        tls=tls[1] if tls else "",
        cipher=tls[2] if tls else "",
    )
