'use strict';

const cluster = require('node:cluster');
const http = require('node:http');

const IDLE_MS = 300_000;

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

function serve() {
  const server = http.createServer({
    noDelay: true,
    // The load rotates over contenders: a connection waits for its next turn
    // (keepAliveTimeout) and before that for its first one (headersTimeout).
    keepAliveTimeout: IDLE_MS,
    headersTimeout: IDLE_MS,
    requestTimeout: IDLE_MS,
  }, handle);
  server.listen({ host: process.env.HOST, port: Number(process.env.PORT), backlog: 4096 });
}

// The primary listens and hands each connection to the next worker, no more.
// It needs no signal handler: workers exit by themselves when it is gone.
if (cluster.isPrimary) {
  for (let i = 0; i < Number(process.env.WORKERS); i++) cluster.fork();
} else {
  serve();
}
