'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const http2 = require('node:http2');
const https = require('node:https');
const path = require('node:path');
const { pipeline } = require('node:stream');

const IDLE_MS = 300_000;
const TICK_MS = 200;
// Node would take AES-256, which is OpenSSL's first.
const CIPHERS = 'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256';

// Content-Length is given because writeHead() sends the head as it stands:
// without it the body would go out in chunks.
function answer(res, status, body, type = 'text/plain') {
  res.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
  });
  res.end(body);
}

function echo(req, res) {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => answer(res, 200, Buffer.concat(chunks)));
}

function upload(req, res) {
  const digest = crypto.createHash('sha256');
  req.on('data', (chunk) => digest.update(chunk));
  req.on('end', () => answer(res, 200, digest.digest('hex')));
}

function sendFile(res, name) {
  const file = path.join(process.env.STATIC_DIR, path.basename(name));
  fs.stat(file, (error, stats) => {
    if (error) return answer(res, 404, 'Not Found');
    res.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': stats.size });
    pipeline(fs.createReadStream(file), res, () => {});
  });
}

// It keeps as many connections to the upstream as there are requests under way; the default is 256.
const agent = new http.Agent({ keepAlive: true, maxFreeSockets: 8192 });

function forward(res) {
  http.get(`${process.env.UPSTREAM}/`, { agent }, (upstream) => {
    res.writeHead(upstream.statusCode, {
      'Content-Type': upstream.headers['content-type'],
      'Content-Length': upstream.headers['content-length'],
    });
    pipeline(upstream, res, () => {});
  }).on('error', () => answer(res, 502, 'Bad Gateway'));
}

// The pieces are written as they come.
function stream(req, res) {
  http.get(`${process.env.UPSTREAM}/events${req.url.slice('/stream'.length)}`, { agent }, (upstream) => {
    res.writeHead(upstream.statusCode, { 'Content-Type': upstream.headers['content-type'] });
    pipeline(upstream, res, () => {});
  }).on('error', () => answer(res, 502, 'Bad Gateway'));
}

// Each event has a turn of its own, as those that happen have.
function event(res, number) {
  res.write(`id: ${number}\ndata: Hello, World!\n\n`);
  if (number === 10) res.end();
  else setImmediate(event, res, number + 1);
}

// Ticks until the client is gone.
function ticks(res) {
  const tick = (number) => res.write(`id: ${number}\ndata: tick\n\n`);
  let number = 1;
  tick(number);
  const timer = setInterval(() => tick(++number), TICK_MS);
  res.on('close', () => clearInterval(timer));
}

function handle(req, res) {
  const url = req.url.split('?', 1)[0];
  if (url === '/') answer(res, 200, 'Hello, World!');
  else if (url === '/empty') answer(res, 200, '');
  else if (url === '/fillbuffer') answer(res, 200, JSON.stringify({ result: 'Hello world' }), 'application/json');
  else if (url === '/echo' && req.method === 'POST') echo(req, res);
  else if (url === '/delay') setTimeout(() => answer(res, 200, 'Hello, World!'), 5);
  else if (url === '/upload' && req.method === 'POST') upload(req, res);
  else if (url === '/forward') forward(res);
  else if (url === '/stream') stream(req, res);
  else if (url === '/events') {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    event(res, 1);
  }
  else if (url === '/ticks') {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    ticks(res);
  }
  else if (url.startsWith('/static/') && process.env.STATIC_DIR) sendFile(res, url);
  else answer(res, 404, 'Not Found');
}

function certificate() {
  return {
    cert: fs.readFileSync(process.env.TLS_CERT),
    key: fs.readFileSync(process.env.TLS_KEY),
    ciphers: CIPHERS,
  };
}

const http1 = {
  noDelay: true,
  // The load rotates over contenders: a connection waits for its next turn
  // (keepAliveTimeout) and before that for its first one (headersTimeout).
  keepAliveTimeout: IDLE_MS,
  headersTimeout: IDLE_MS,
  requestTimeout: IDLE_MS,
};

// A connection of HTTP/2 may be idle for ever: that is http2's default.
function createServer() {
  switch (process.env.PROTOCOL) {
    case 'h1-tls': return https.createServer({ ...http1, ...certificate() }, handle);
    case 'h2c': return http2.createServer(handle);
    case 'h2': return http2.createSecureServer(certificate(), handle);
    default: return http.createServer(http1, handle);
  }
}

createServer().listen({ host: process.env.HOST, port: Number(process.env.PORT), backlog: 4096 });
