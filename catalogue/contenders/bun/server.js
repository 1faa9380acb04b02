// The server, and for several workers the process that starts so many of it, as Bun's guide
// "Start a cluster of HTTP servers" does.

import { basename } from 'node:path';

// A tick each 200 ms until the client is gone, which ends the iteration.
async function* ticks() {
  for (let number = 1; ; number++) {
    yield `id: ${number}\ndata: tick\n\n`;
    await Bun.sleep(200);
  }
}

function serve() {
  const server = Bun.serve({
    hostname: process.env.HOST,
    port: Number(process.env.PORT),
    reusePort: true,
    tls: process.env.PROTOCOL === 'h1-tls' ? {
      cert: Bun.file(process.env.TLS_CERT),
      key: Bun.file(process.env.TLS_KEY),
    } : undefined,
    // For ever: the longest that can be set is 255 s, and the load rotates over contenders,
    // so that a connection waits for its next turn.
    idleTimeout: 0,
    development: false,
    routes: {
      '/': () => new Response('Hello, World!'),
      '/empty': () => new Response(),
      '/fillbuffer': () => Response.json({ result: 'Hello world' }),
      '/delay': async () => {
        await Bun.sleep(5);
        return new Response('Hello, World!');
      },
      '/upload': { POST: async (request) => {
        const digest = new Bun.CryptoHasher('sha256').update(await request.arrayBuffer());
        return new Response(digest.digest('hex'));
      } },
      '/forward': () => fetch(`${process.env.UPSTREAM}/`),
      '/static/:file': ({ params }) =>
        new Response(Bun.file(`${process.env.STATIC_DIR}/${basename(params.file)}`)),
      '/echo': { POST: async (request) => new Response(await request.text()) },
      '/ticks': () => new Response(ticks(), { headers: { 'Content-Type': 'text/event-stream' } }),
      '/ws': (request, server) =>
        server.upgrade(request) ? undefined : new Response('Upgrade Required', { status: 426 }),
      '/room': (request, server) =>
        server.upgrade(request, { data: { room: `room${new URL(request.url).search}` } })
          ? undefined : new Response('Upgrade Required', { status: 426 }),
    },
    // For ever, as idleTimeout.
    websocket: {
      idleTimeout: 0,
      perMessageDeflate: true,
      open: (socket) => void (socket.data && socket.subscribe(socket.data.room)),
      // Compressed, for who offers that.
      message: (socket, data) =>
        void (socket.data ? server.publish(socket.data.room, data, true) : socket.send(data, true)),
    },
    fetch: () => new Response('Not Found', { status: 404 }),
  });
}

function supervise(workers) {
  const servers = Array.from({ length: workers }, () =>
    Bun.spawn([process.execPath, import.meta.path], {
      env: { ...process.env, WORKERS: '1' },
      stdio: ['ignore', 'inherit', 'inherit'],
    }));
  process.on('exit', () => servers.forEach((server) => server.kill()));
  process.on('SIGINT', () => process.exit());
  process.on('SIGTERM', () => process.exit());
}

const workers = Number(process.env.WORKERS);
if (workers > 1) supervise(workers);
else serve();
