import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { Pool } from 'pg';

const IDLE_MS = 300_000;
// Node would take AES-256, which is OpenSSL's first.
const CIPHERS = 'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256';

// A statement with a name is prepared once on each connection.
const ROW = { name: 'row', text: 'SELECT id, shelf, name FROM item WHERE id = $1' };
const PAGE = { name: 'page', text: 'SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id' };
const database = new Pool({ connectionString: process.env.DATABASE_URL, max: 16 });

const app = new Hono();

app.get('/', (c) => c.text('Hello, World!'));

app.get('/empty', (c) => c.text(''));

// On this route alone: the others stay the plain path. The default threshold is 1 kB.
app.get('/fillbuffer', compress({ threshold: 0 }), (c) => c.json({ result: 'Hello world' }));

app.post('/echo', async (c) => c.text(await c.req.text()));

app.get('/delay', async (c) => {
  await setTimeout(5);
  return c.text('Hello, World!');
});

app.post('/upload', async (c) => {
  const digest = createHash('sha256');
  for await (const chunk of c.req.raw.body) digest.update(chunk);
  return c.text(digest.digest('hex'));
});

app.get('/forward', async (c) => {
  const upstream = await fetch(`${process.env.UPSTREAM}/`);
  const headers = { 'Content-Type': upstream.headers.get('content-type') };
  return c.body(await upstream.arrayBuffer(), upstream.status, headers);
});

app.get('/row', async (c) => {
  const id = c.req.query('id');
  if (!/^\d+$/.test(id)) return c.notFound();
  const { rows } = await database.query({ ...ROW, values: [id] });
  return rows.length ? c.json(rows[0]) : c.notFound();
});

app.get('/page', async (c) => {
  const { rows } = await database.query({ ...PAGE, values: [c.req.query('shelf')] });
  return c.json(rows);
});

if (process.env.STATIC_DIR) {
  app.get('/static/*', serveStatic({
    root: process.env.STATIC_DIR,
    rewriteRequestPath: (path) => path.replace('/static', ''),
  }));
}

const http1 = {
  noDelay: true,
  // The load rotates over contenders: a connection waits for its next turn
  // (keepAliveTimeout) and before that for its first one (headersTimeout).
  keepAliveTimeout: IDLE_MS,
  headersTimeout: IDLE_MS,
  requestTimeout: IDLE_MS,
};

function certificate() {
  return {
    cert: fs.readFileSync(process.env.TLS_CERT),
    key: fs.readFileSync(process.env.TLS_KEY),
    ciphers: CIPHERS,
  };
}

// Which of Node's servers Hono is put on, and its options.
function transport() {
  switch (process.env.PROTOCOL) {
    case 'h1-tls': return { createServer: https.createServer, serverOptions: { ...http1, ...certificate() } };
    case 'h2c': return { createServer: http2.createServer };
    case 'h2': return { createServer: http2.createSecureServer, serverOptions: certificate() };
    default: return { serverOptions: http1 };
  }
}

createAdaptorServer({ fetch: app.fetch, ...transport() })
  .listen({ host: process.env.HOST, port: Number(process.env.PORT), backlog: 4096 });
