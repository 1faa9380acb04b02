// What `deno serve` starts: a handler of requests.

import { createHash } from 'node:crypto';
import { basename } from 'node:path';

const STATIC = '/static/';
const text = { headers: { 'Content-Type': 'text/plain' } };

async function upload(request) {
  const digest = createHash('sha256');
  for await (const chunk of request.body) digest.update(chunk);
  return new Response(digest.digest('hex'), text);
}

async function sendFile(name) {
  try {
    const file = await Deno.open(`${Deno.env.get('STATIC_DIR')}/${basename(name)}`);
    const { size } = await file.stat();
    return new Response(file.readable, {
      headers: { 'Content-Type': 'text/plain', 'Content-Length': String(size) },
    });
  } catch {
    return new Response('Not Found', { status: 404 });
  }
}

function messages(request) {
  if (request.headers.get('upgrade') !== 'websocket') return new Response('Upgrade Required', { status: 426 });
  // A ping each 300 s.
  const { socket, response } = Deno.upgradeWebSocket(request, { idleTimeout: 300 });
  socket.binaryType = 'arraybuffer';
  socket.onmessage = ({ data }) => socket.send(data);
  return response;
}

async function answer(request) {
  const { pathname } = new URL(request.url);
  switch (`${request.method} ${pathname}`) {
    case 'GET /': return new Response('Hello, World!', text);
    case 'GET /empty': return new Response('', text);
    case 'GET /fillbuffer': return Response.json({ result: 'Hello world' });
    case 'POST /echo': return new Response(await request.bytes(), text);
    case 'GET /delay':
      await new Promise((resume) => setTimeout(resume, 5));
      return new Response('Hello, World!', text);
    case 'POST /upload': return upload(request);
    case 'GET /ws': return messages(request);
    case 'GET /forward': return fetch(`${Deno.env.get('UPSTREAM')}/`);
  }
  if (request.method === 'GET' && pathname.startsWith(STATIC)) return sendFile(pathname);
  return new Response('Not Found', { status: 404 });
}

export default { fetch: answer };
