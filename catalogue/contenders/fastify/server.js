'use strict';

const fastify = require('fastify');

const IDLE_MS = 300_000;

const app = fastify({
  logger: false,
  // The load rotates over contenders: a connection waits for its next turn
  // (keepAliveTimeout) and before that for its first one (headersTimeout).
  keepAliveTimeout: IDLE_MS,
  requestTimeout: IDLE_MS,
  http: { noDelay: true, headersTimeout: IDLE_MS },
});

// Fastify compiles a serialiser from it.
const buffer = {
  type: 'object',
  properties: { result: { type: 'string' } },
};

// Routes wait for the plugin: it must be there when /fillbuffer is declared.
app.register(require('@fastify/compress'), { global: false });
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
});

app.listen({ host: process.env.HOST, port: Number(process.env.PORT), backlog: 4096 });
