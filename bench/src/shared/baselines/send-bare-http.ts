import { Agent, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { servePeer } from '@mostrador/local-platform/peer';
import { fastify } from 'fastify';
import postgres from 'postgres';

// One process: Fastify that inserts the message with one statement and then calls the provider. It has no keys, rate
// limits, idempotency, order or retries, and a message is lost when the process ends between the two.
const { DATABASE_URL = '', PROVIDER_URL = '' } = process.env;
const sql = postgres(DATABASE_URL, { max: 10, onnotice: () => {} });
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const app = fastify({ logger: false });

type Body = { to: string; message: string };
const body = {
  type: 'object',
  required: ['to', 'message'],
  properties: { to: { type: 'string' }, message: { type: 'string', maxLength: 4096 } },
} as const;

app.post<{ Body: Body }>('/messages', { schema: { body } }, async ({ body: { to, message } }) => {
  const [row] = await sql`insert into bench.messages ("to", body) values (${to}, ${message}) returning id`;
  await call(JSON.stringify({ messaging_product: 'whatsapp', to, type: 'text', text: { body: message } }));
  return { id: row?.id };
});

const call = (payload: string) =>
  new Promise<string>((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) };
    httpRequest(`${PROVIDER_URL}/messages`, { method: 'POST', agent, headers })
      .once('response', (response) => text(response).then(resolve, reject))
      .once('error', reject)
      .end(payload);
  });

servePeer({ listen: () => app.listen({ host: '127.0.0.1', port: 0 }) });
