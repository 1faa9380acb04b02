// The server, and for several workers the process that starts so many of it, as Bun's guide
// "Start a cluster of HTTP servers" does.

import { Hono } from 'hono';
import { serveStatic, upgradeWebSocket, websocket } from 'hono/bun';
import { compress } from 'hono/compress';

const app = new Hono();

app.get('/', (c) => c.text('Hello, World!'));

app.get('/empty', (c) => c.text(''));

// On this route alone: the others stay the plain path. The default threshold is 1 kB.
app.get('/fillbuffer', compress({ threshold: 0 }), (c) => c.json({ result: 'Hello world' }));

app.post('/echo', async (c) => c.text(await c.req.text()));

app.get('/delay', async (c) => {
  await Bun.sleep(5);
  return c.text('Hello, World!');
});

app.post('/upload', async (c) => {
  const digest = new Bun.CryptoHasher('sha256').update(await c.req.arrayBuffer());
  return c.text(digest.digest('hex'));
});

app.get('/ws', upgradeWebSocket(() => ({ onMessage: ({ data }, socket) => socket.send(data) })));

app.get('/forward', () => fetch(`${process.env.UPSTREAM}/`));

if (process.env.STATIC_DIR) {
  app.get('/static/*', serveStatic({
    root: process.env.STATIC_DIR,
    rewriteRequestPath: (path) => path.replace('/static', ''),
  }));
}

function serve() {
  Bun.serve({
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
    fetch: app.fetch,
    // For ever, as idleTimeout.
    websocket: { ...websocket, idleTimeout: 0 },
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
