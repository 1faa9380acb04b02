'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const http2 = require('node:http2');
const https = require('node:https');
const { setTimeout } = require('node:timers/promises');
const { Router } = require('@koa/router');
const Koa = require('koa');
const compress = require('koa-compress');
const send = require('koa-send');
const { Pool } = require('pg');
const rawBody = require('raw-body');

const IDLE_MS = 300_000;
// Node would take AES-256, which is OpenSSL's first.
const CIPHERS = 'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256';

// A statement with a name is prepared once on each connection.
const ROW = { name: 'row', text: 'SELECT id, shelf, name FROM item WHERE id = $1' };
const PAGE = { name: 'page', text: 'SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id' };
const database = new Pool({ connectionString: process.env.DATABASE_URL, max: 16 });

const router = new Router();

function hello(ctx) {
  ctx.type = 'text';
  ctx.body = 'Hello, World!';
}

router.get('/', hello);

router.get('/empty', (ctx) => {
  ctx.type = 'text';
  ctx.body = '';
});

// On this route alone, for those who ask; the default threshold is 1 kB, and Brotli comes first.
router.get('/fillbuffer', compress({ threshold: 0, br: false, zstd: false }), (ctx) => {
  ctx.body = { result: 'Hello world' };
});

router.post('/echo', async (ctx) => {
  const body = await rawBody(ctx.req, { length: ctx.request.length });
  ctx.type = 'text';
  ctx.body = body;
});

router.get('/delay', async (ctx) => {
  await setTimeout(5);
  hello(ctx);
});

router.post('/upload', async (ctx) => {
  const digest = crypto.createHash('sha256');
  for await (const chunk of ctx.req) digest.update(chunk);
  ctx.type = 'text';
  ctx.body = digest.digest('hex');
});

router.get('/forward', async (ctx) => {
  const upstream = await fetch(`${process.env.UPSTREAM}/`);
  ctx.status = upstream.status;
  ctx.type = upstream.headers.get('content-type');
  ctx.body = Buffer.from(await upstream.arrayBuffer());
});

// Koa answers 404 where nothing has set a body.
router.get('/row', async (ctx) => {
  if (!/^\d+$/.test(ctx.query.id)) return;
  const { rows } = await database.query({ ...ROW, values: [ctx.query.id] });
  if (rows.length) [ctx.body] = rows;
});

router.get('/page', async (ctx) => {
  const { rows } = await database.query({ ...PAGE, values: [ctx.query.shelf] });
  ctx.body = rows;
});

if (process.env.STATIC_DIR) {
  router.get('/static/:file', (ctx) => send(ctx, ctx.params.file, { root: process.env.STATIC_DIR }));
}

const app = new Koa();
app.use(router.routes());

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

// Koa is a listener of any of Node's servers, as its documentation shows.
function createServer(listener) {
  switch (process.env.PROTOCOL) {
    case 'h1-tls': return https.createServer({ ...http1, ...certificate() }, listener);
    case 'h2c': return http2.createServer(listener);
    case 'h2': return http2.createSecureServer({ ...certificate() }, listener);
    default: return http.createServer(http1, listener);
  }
}

createServer(app.callback())
  .listen({ host: process.env.HOST, port: Number(process.env.PORT), backlog: 4096 });
