'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const compression = require('compression');
const express = require('express');
const { Pool } = require('pg');

const IDLE_MS = 300_000;
// Node would take AES-256, which is OpenSSL's first.
const CIPHERS = 'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256';

// A statement with a name is prepared once on each connection.
const ROW = { name: 'row', text: 'SELECT id, shelf, name FROM item WHERE id = $1' };
const PAGE = { name: 'page', text: 'SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id' };
const database = new Pool({ connectionString: process.env.DATABASE_URL, max: 16 });

const app = express();

app.get('/', (req, res) => {
  res.type('text').send('Hello, World!');
});

app.get('/empty', (req, res) => {
  res.end();
});

// On this route alone: the others stay the plain path. The default threshold is 1 kB.
app.get('/fillbuffer', compression({ threshold: 0 }), (req, res) => {
  res.json({ result: 'Hello world' });
});

app.post('/echo', express.text({ type: '*/*' }), (req, res) => {
  res.type('text').send(req.body);
});

app.get('/delay', (req, res) => {
  setTimeout(() => res.type('text').send('Hello, World!'), 5);
});

// The default limit is 100 kB.
app.post('/upload', express.raw({ limit: '2mb' }), (req, res) => {
  res.type('text').send(crypto.createHash('sha256').update(req.body).digest('hex'));
});

app.get('/forward', async (req, res) => {
  const upstream = await fetch(`${process.env.UPSTREAM}/`);
  res.status(upstream.status).type(upstream.headers.get('content-type'));
  res.send(Buffer.from(await upstream.arrayBuffer()));
});

app.get('/row', async (req, res, next) => {
  if (!/^\d+$/.test(req.query.id)) return next();
  const { rows } = await database.query({ ...ROW, values: [req.query.id] });
  if (rows.length) res.json(rows[0]);
  else next();
});

app.get('/page', async (req, res) => {
  const { rows } = await database.query({ ...PAGE, values: [req.query.shelf] });
  res.json(rows);
});

if (process.env.STATIC_DIR) app.use('/static', express.static(process.env.STATIC_DIR));

const options = {
  noDelay: true,
  // The load rotates over contenders: a connection waits for its next turn
  // (keepAliveTimeout) and before that for its first one (headersTimeout).
  keepAliveTimeout: IDLE_MS,
  headersTimeout: IDLE_MS,
  requestTimeout: IDLE_MS,
};

function createServer() {
  if (process.env.PROTOCOL !== 'h1-tls') return http.createServer(options, app);
  return https.createServer({
    ...options,
    cert: fs.readFileSync(process.env.TLS_CERT),
    key: fs.readFileSync(process.env.TLS_KEY),
    ciphers: CIPHERS,
  }, app);
}

createServer().listen({ host: process.env.HOST, port: Number(process.env.PORT), backlog: 4096 });
