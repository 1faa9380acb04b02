'use strict';

const cluster = require('node:cluster');
const fs = require('node:fs');
const http = require('node:http');
const http2 = require('node:http2');
const https = require('node:https');

const IDLE_MS = 300_000;
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

function handle(req, res) {
  const path = req.url.split('?', 1)[0];
  if (path === '/') answer(res, 200, 'Hello, World!');
  else if (path === '/empty') answer(res, 200, '');
  else if (path === '/fillbuffer') answer(res, 200, JSON.stringify({ result: 'Hello world' }), 'application/json');
  else if (path === '/echo' && req.method === 'POST') echo(req, res);
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

// The primary listens and hands each connection to the next worker, no more.
// It needs no signal handler: workers exit by themselves when it is gone.
if (cluster.isPrimary) {
  for (let i = 0; i < Number(process.env.WORKERS); i++) cluster.fork();
} else {
  createServer().listen({ host: process.env.HOST, port: Number(process.env.PORT), backlog: 4096 });
}
