'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const { setTimeout } = require('node:timers/promises');
const fastify = require('fastify');

const IDLE_MS = 300_000;
// Node would take AES-256, which is OpenSSL's first.
const CIPHERS = 'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256';

const http1 = { noDelay: true, headersTimeout: IDLE_MS };

// What Fastify takes for each protocol.
function transport() {
  switch (process.env.PROTOCOL) {
    case 'h1-tls': return { https: { ...http1, ...certificate() } };
    case 'h2c': return { http2: true };
    case 'h2': return { http2: true, https: certificate() };
    default: return { http: http1 };
  }
}

function certificate() {
  return {
    cert: fs.readFileSync(process.env.TLS_CERT),
    key: fs.readFileSync(process.env.TLS_KEY),
    ciphers: CIPHERS,
  };
}

const app = fastify({
  logger: false,
  // The load rotates over contenders: a connection waits for its next turn
  // (keepAliveTimeout) and before that for its first one (headersTimeout).
  keepAliveTimeout: IDLE_MS,
  requestTimeout: IDLE_MS,
  http2SessionTimeout: IDLE_MS,
  ...transport(),
});

// Fastify compiles a serialiser from it.
const buffer = {
  type: 'object',
  properties: { result: { type: 'string' } },
};

const item = {
  type: 'object',
  properties: { id: { type: 'integer' }, shelf: { type: 'integer' }, name: { type: 'string' } },
};

// A statement with a name is prepared once on each connection.
const ROW = { name: 'row', text: 'SELECT id, shelf, name FROM item WHERE id = $1' };
const PAGE = { name: 'page', text: 'SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id' };

// Routes wait for the plugin: it must be there when /fillbuffer is declared.
app.register(require('@fastify/compress'), { global: false });
if (process.env.STATIC_DIR) {
  app.register(require('@fastify/static'), { root: process.env.STATIC_DIR, prefix: '/static/' });
}
if (process.env.DATABASE_URL) {
  app.register(require('@fastify/postgres'), { connectionString: process.env.DATABASE_URL, max: 16 });
}
app.addContentTypeParser('application/octet-stream', (request, payload, done) => done(null, payload));
app.after(() => {
  app.get('/', (request, reply) => {
    reply.type('text/plain').send('Hello, World!');
  });

  app.get('/empty', (request, reply) => {
    reply.send();
  });

  // On this route alone: the others stay the plain path. The default threshold is 1 kB.
  app.get('/fillbuffer', {
    schema: { response: { 200: buffer } },
    compress: { threshold: 0 },
  }, (request, reply) => {
    reply.send({ result: 'Hello world' });
  });

  app.post('/echo', (request, reply) => {
    reply.type('text/plain').send(request.body);
  });

  app.get('/delay', async (request, reply) => {
    await setTimeout(5);
    reply.type('text/plain');
    return 'Hello, World!';
  });

  app.post('/upload', async (request, reply) => {
    const digest = crypto.createHash('sha256');
    for await (const chunk of request.body) digest.update(chunk);
    reply.type('text/plain');
    return digest.digest('hex');
  });

  app.get('/forward', async (request, reply) => {
    const upstream = await fetch(`${process.env.UPSTREAM}/`);
    reply.code(upstream.status).type(upstream.headers.get('content-type'));
    return Buffer.from(await upstream.arrayBuffer());
  });

  app.get('/row', {
    schema: {
      querystring: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      response: { 200: item },
    },
  }, async (request, reply) => {
    const { rows } = await app.pg.query({ ...ROW, values: [request.query.id] });
    return rows[0] ?? reply.callNotFound();
  });

  app.get('/page', {
    schema: {
      querystring: { type: 'object', properties: { shelf: { type: 'integer' } }, required: ['shelf'] },
      response: { 200: { type: 'array', items: item } },
    },
  }, async (request) => {
    const { rows } = await app.pg.query({ ...PAGE, values: [request.query.shelf] });
    return rows;
  });
});

app.listen({ host: process.env.HOST, port: Number(process.env.PORT), backlog: 4096 });
