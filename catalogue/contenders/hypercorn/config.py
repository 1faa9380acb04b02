"""Hypercorn's settings, as a file of Python: its command line lacks two of them."""

import os
import sys

protocol = os.environ.get("PROTOCOL", "h1")
address = [f"{os.environ['HOST']}:{os.environ['PORT']}"]

bind = [] if protocol == "h3" else address
quic_bind = address if protocol == "h3" else []
# A datagram may come to any process that shares the socket, and one alone knows its connection.
workers = 1 if protocol == "h3" else int(os.environ["WORKERS"])
backlog = 4096
keep_alive_timeout = 300
keep_alive_max_requests = sys.maxsize
loglevel = "WARNING"
alpn_protocols = ["h2" if protocol == "h2" else "http/1.1"]
if protocol in ("h1-tls", "h2", "h3"):
    certfile, keyfile = os.environ["TLS_CERT"], os.environ["TLS_KEY"]
    # Of TLS 1.2; openssl.cnf has that of 1.3.
    ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256"
