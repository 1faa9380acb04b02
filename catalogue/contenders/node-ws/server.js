'use strict';

const fs = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const { WebSocketServer } = require('ws');

// Node would take AES-256, which is OpenSSL's first.
const CIPHERS = 'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256';
// The load rotates over contenders: a connection waits for its first turn.
const IDLE = { keepAliveTimeout: 300_000, headersTimeout: 300_000, requestTimeout: 300_000 };

function createServer() {
  if (process.env.PROTOCOL !== 'h1-tls') return http.createServer(IDLE);
  const cert = fs.readFileSync(process.env.TLS_CERT);
  const key = fs.readFileSync(process.env.TLS_KEY);
  return https.createServer({ ...IDLE, cert, key, ciphers: CIPHERS });
}

const server = createServer();

const rooms = new Map();

function echo(socket) {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
}

function join(socket, name) {
  const room = rooms.get(name) ?? new Set();
  rooms.set(name, room.add(socket));
  socket.on('close', () => room.delete(socket));
  socket.on('message', (data, isBinary) => {
    for (const each of room) each.send(data, { binary: isBinary });
  });
}

new WebSocketServer({ server, perMessageDeflate: true }).on('connection', (socket, request) => {
  socket.on('error', () => {}); // a client that is gone
  const [path, query] = request.url.split('?');
  if (path === '/ws') echo(socket);
  else if (path === '/room') join(socket, query);
  else socket.close();
});

server.listen({ host: process.env.HOST, port: Number(process.env.PORT), backlog: 4096 });
