"""grpcio on asyncio, in as many processes as WORKERS says, which share the port."""

import asyncio
import multiprocessing
import os
import signal
import sys
from pathlib import Path

import grpc
import helloworld_pb2
import helloworld_pb2_grpc


class Greeter(helloworld_pb2_grpc.GreeterServicer):
    async def SayHello(self, request, _context):
        return helloworld_pb2.HelloReply(message=f"Hello, {request.name}!")

    async def SayHelloStreamReply(self, request, _context):
        for _ in range(10):
            yield helloworld_pb2.HelloReply(message=f"Hello, {request.name}!")


async def serve():
    server = grpc.aio.server(options=[("grpc.so_reuseport", 1)])
    helloworld_pb2_grpc.add_GreeterServicer_to_server(Greeter(), server)
    address = f"{os.environ['HOST']}:{os.environ['PORT']}"
    if os.environ.get("PROTOCOL") == "h2":
        key, cert = (Path(os.environ[name]).read_bytes() for name in ("TLS_KEY", "TLS_CERT"))
        server.add_secure_port(address, grpc.ssl_server_credentials([(key, cert)]))
    else:
        server.add_insecure_port(address)
    await server.start()
    await server.wait_for_termination()


def work():
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    asyncio.run(serve())


if __name__ == "__main__":
    count = int(os.environ["WORKERS"])
    if count == 1:
        work()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    # Its own guide has gRPC begin after the fork: nothing of it has been used here.
    workers = [multiprocessing.Process(target=work, daemon=True) for _ in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
