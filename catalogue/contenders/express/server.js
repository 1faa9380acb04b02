'use strict';

const http = require('node:http');
const compression = require('compression');
const express = require('express');

const IDLE_MS = 300_000;

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

const server = http.createServer({
  noDelay: true,
  // The load rotates over contenders: a connection waits for its next turn
  // (keepAliveTimeout) and before that for its first one (headersTimeout).
  keepAliveTimeout: IDLE_MS,
  headersTimeout: IDLE_MS,
  requestTimeout: IDLE_MS,
}, app);

server.listen({ host: process.env.HOST, port: Number(process.env.PORT), backlog: 4096 });
