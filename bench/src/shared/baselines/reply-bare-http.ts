import { createHmac, timingSafeEqual } from 'node:crypto';
import { servePeer } from '@mostrador/local-platform/peer';
import { fastify } from 'fastify';
import postgres from 'postgres';

// One process: Fastify that checks the signature, stores the webhook, reads what the customer wrote before, asks the model,
// stores the answer and sends it. It waits for nothing, and what it does is lost when it ends.
const { DATABASE_URL = '', APP_SECRET = '', OUTSIDE_URL = '' } = process.env;
const sql = postgres(DATABASE_URL, { max: 10, onnotice: () => {} });
const app = fastify({ logger: false });
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 3 * 1024 * 1024 }, (_request, body, done) =>
  done(null, body),
);

async function post(path: string, body: object): Promise<unknown> {
  const answer = await fetch(`${OUTSIDE_URL}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer token' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
  return await answer.json();
}

async function reply(phone: string, body: string): Promise<void> {
  const before = await sql`select body from bench.messages where "to" = ${phone} order by id desc limit 20`;
  const messages = [...before.reverse(), { body }].map((message) => ({ role: 'user', content: message.body }));
  const { choices } = (await post('/v1/chat/completions', { model: 'instant', messages })) as {
    choices: [{ message: { tool_calls: [{ function: { arguments: string } }] } }];
  };
  const { text } = JSON.parse(choices[0].message.tool_calls[0].function.arguments);
  await sql`insert into bench.messages ("to", body) values (${phone}, ${text})`;
  await post('/v23.0/106540352242922/messages', { messaging_product: 'whatsapp', to: phone, text: { body: text } });
}

app.post<{ Body: Buffer }>('/webhook', async (request, response) => {
  const given = Buffer.from(String(request.headers['x-hub-signature-256']).slice('sha256='.length), 'hex');
  const expected = createHmac('sha256', APP_SECRET).update(request.body).digest();
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return response.code(403).send();
  await sql`insert into bench.webhooks (payload) values (${request.body})`;
  const [message] = JSON.parse(request.body.toString()).entry[0].changes[0].value.messages;
  void reply(message.from, message.text.body);
  return { received: true };
});

servePeer({ listen: () => app.listen({ host: '127.0.0.1', port: 0 }) });
