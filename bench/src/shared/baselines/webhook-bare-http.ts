import { createHmac, timingSafeEqual } from 'node:crypto';
import { servePeer } from '@mostrador/local-platform/peer';
import { fastify } from 'fastify';
import postgres from 'postgres';

// One process: Fastify that checks the signature over the raw bytes and stores them, one statement per request. It has
// one channel and one secret, and processes nothing.
const { DATABASE_URL = '', APP_SECRET = '' } = process.env;
const sql = postgres(DATABASE_URL, { max: 10, onnotice: () => {} });
const app = fastify({ logger: false });
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 3 * 1024 * 1024 }, (_request, body, done) =>
  done(null, body),
);

app.post<{ Body: Buffer }>('/webhook', async (request, reply) => {
  const given = Buffer.from(String(request.headers['x-hub-signature-256']).slice('sha256='.length), 'hex');
  const expected = createHmac('sha256', APP_SECRET).update(request.body).digest();
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return reply.code(403).send();
  await sql`insert into bench.webhooks (payload) values (${request.body})`;
  return { received: true };
});

servePeer({ listen: () => app.listen({ host: '127.0.0.1', port: 0 }) });
