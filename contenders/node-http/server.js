'use strict';

const http = require('node:http');

const IDLE_MS = 300_000;

// Content-Length is given because writeHead() sends the head as it stands:
// without it the body would go out in chunks.
function answer(res, status, body) {
  res.writeHead(status, {
    'Content-Type': 'text/plain',
    'Content-Length': Buffer.byteLength(body),
  });
  res.end(body);
}

function handle(req, res) {
  const path = req.url.split('?', 1)[0];
  if (path === '/') answer(res, 200, 'Hello, World!');
  else if (path === '/empty') answer(res, 200, '');
  else answer(res, 404, 'Not Found');
}

const server = http.createServer({
  noDelay: true,
  // The load rotates over contenders: a connection waits for its next turn
  // (keepAliveTimeout) and before that for its first one (headersTimeout).
  keepAliveTimeout: IDLE_MS,
  headersTimeout: IDLE_MS,
  requestTimeout: IDLE_MS,
}, handle);

server.listen({ host: process.env.HOST, port: Number(process.env.PORT), backlog: 4096 });
