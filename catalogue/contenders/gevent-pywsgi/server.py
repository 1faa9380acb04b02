"""gevent's own WSGI server in one process: a greenlet per connection."""

import os
from socket import AF_INET, IPPROTO_TCP, TCP_NODELAY

from app import app
from gevent.pywsgi import WSGIServer
from gevent.ssl import PROTOCOL_TLS_SERVER, SSLContext

address = os.environ["HOST"], int(os.environ["PORT"])
listener = WSGIServer.get_listener(address, backlog=4096, family=AF_INET)
# gevent leaves Nagle's algorithm on, and head and body are two writes. Linux hands the option of
# the listening socket down to the connections.
listener.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)

tls = {}
if os.environ.get("PROTOCOL") == "h1-tls":
    context = SSLContext(PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.environ["TLS_CERT"], os.environ["TLS_KEY"])
    context.set_ciphers("ECDHE-ECDSA-AES128-GCM-SHA256")  # of TLS 1.2; openssl.cnf has that of 1.3
    context.set_alpn_protocols(["http/1.1"])
    tls = {"ssl_context": context}

WSGIServer(listener, app, log=None, **tls).serve_forever()
