import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import {
  Body, Controller, Get, Header, HttpCode, Module, NotFoundException, ParseIntPipe, Post, Query, Res,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { Pool } from 'pg';
import type { Readable } from 'node:stream';

const IDLE_MS = 300_000;
// Node would take AES-256, which is OpenSSL's first.
const CIPHERS = 'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256';

// A statement with a name is prepared once on each connection.
const ROW = { name: 'row', text: 'SELECT id, shelf, name FROM item WHERE id = $1' };
const PAGE = { name: 'page', text: 'SELECT id, shelf, name FROM item WHERE shelf = $1 ORDER BY id' };

@Controller()
class Answers {
  constructor(private readonly database: Pool) {}

  @Get()
  @Header('Content-Type', 'text/plain')
  hello() {
    return 'Hello, World!';
  }

  @Get('empty')
  @Header('Content-Type', 'text/plain')
  empty() {
    return '';
  }

  @Get('fillbuffer')
  fillBuffer() {
    return { result: 'Hello world' };
  }

  // NestJS would answer a POST with 201.
  @Post('echo')
  @HttpCode(200)
  @Header('Content-Type', 'text/plain')
  echo(@Body() body: string) {
    return body;
  }

  @Get('delay')
  @Header('Content-Type', 'text/plain')
  async delay() {
    await setTimeout(5);
    return 'Hello, World!';
  }

  @Post('upload')
  @HttpCode(200)
  @Header('Content-Type', 'text/plain')
  async upload(@Body() body: Readable) {
    const digest = createHash('sha256');
    for await (const chunk of body) digest.update(chunk);
    return digest.digest('hex');
  }

  @Get('forward')
  async forward(@Res({ passthrough: true }) reply: FastifyReply) {
    const upstream = await fetch(`${process.env.UPSTREAM}/`);
    reply.code(upstream.status).type(upstream.headers.get('content-type')!);
    return Buffer.from(await upstream.arrayBuffer());
  }

  @Get('row')
  async row(@Query('id', ParseIntPipe) id: number) {
    const { rows } = await this.database.query({ ...ROW, values: [id] });
    if (!rows.length) throw new NotFoundException();
    return rows[0];
  }

  @Get('page')
  async page(@Query('shelf', ParseIntPipe) shelf: number) {
    const { rows } = await this.database.query({ ...PAGE, values: [shelf] });
    return rows;
  }
}

const database = {
  provide: Pool,
  useFactory: () => new Pool({ connectionString: process.env.DATABASE_URL, max: 16 }),
};

@Module({ controllers: [Answers], providers: [database] })
class App {}

function certificate() {
  return {
    cert: readFileSync(process.env.TLS_CERT!),
    key: readFileSync(process.env.TLS_KEY!),
    ciphers: CIPHERS,
  };
}

// What Fastify takes for each protocol.
function transport() {
  const http1 = { noDelay: true, headersTimeout: IDLE_MS };
  switch (process.env.PROTOCOL) {
    case 'h1-tls': return { https: { ...http1, ...certificate() } };
    case 'h2c': return { http2: true };
    case 'h2': return { http2: true, https: certificate() };
    default: return { http: http1 };
  }
}

const adapter = new FastifyAdapter({
  // The load rotates over contenders: a connection waits for its next turn
  // (keepAliveTimeout) and before that for its first one (headersTimeout).
  keepAliveTimeout: IDLE_MS,
  requestTimeout: IDLE_MS,
  http2SessionTimeout: IDLE_MS,
  ...transport(),
} as object);
adapter.getInstance().addContentTypeParser('application/octet-stream',
  (_request, payload, done) => done(null, payload));

const app = await NestFactory.create<NestFastifyApplication>(App, adapter, {
  logger: ['error', 'warn'],
});
if (process.env.STATIC_DIR) {
  app.useStaticAssets({ root: process.env.STATIC_DIR, prefix: '/static/' });
}
await app.listen({ host: process.env.HOST, port: Number(process.env.PORT), backlog: 4096 });
