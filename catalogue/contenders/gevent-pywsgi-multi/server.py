"""gevent's own WSGI server in WORKERS processes, which share one listening socket."""

import os
import signal
from socket import AF_INET, IPPROTO_TCP, TCP_NODELAY

from app import app
from gevent.os import fork_gevent
from gevent.pywsgi import WSGIServer
from gevent.ssl import PROTOCOL_TLS_SERVER, SSLContext

# The parent waits for these: to be told to stop, or for a worker that died.
WAITED_FOR = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}

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


def serve():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, WAITED_FOR)
    # wsgi.multiprocess: accept one connection at a time, and leave the others some.
    multiprocess = {"wsgi.multiprocess": True}
    WSGIServer(listener, app, log=None, environ=multiprocess, **tls).serve_forever()


# Blocked, a signal that comes between two forks waits until there is a list of all workers.
signal.pthread_sigmask(signal.SIG_BLOCK, WAITED_FOR)
workers = []
for _ in range(int(os.environ["WORKERS"])):
    worker = fork_gevent()
    if worker == 0:
        serve()
    workers.append(worker)

signal.sigwait(WAITED_FOR)
for worker in workers:
    os.kill(worker, signal.SIGTERM)
for worker in workers:
    os.waitpid(worker, 0)
