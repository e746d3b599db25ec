import { servePeer } from '@mostrador/local-platform/peer';
import { fastify } from 'fastify';
import { StringCodec } from 'nats';
import { bodySchema } from './database.ts';
import { openNats } from './nats.ts';

// Baseline (b'), first half: Fastify that sends a request to another process over NATS and forwards the response bytes.
const nats = await openNats(process.env.NATS_URL ?? '');
const text = StringCodec();
const app = fastify({ logger: false });

app.get<{ Params: { id: string } }>('/appointments/:id', async (request, reply) => {
  const answer = await nats.request('crm.api.bench-appointments.get', text.encode(request.params.id), {
    timeout: 5000,
  });
  if (answer.data.length === 0) return reply.code(404).send();
  return reply.header('content-type', 'application/json; charset=utf-8').send(Buffer.from(answer.data));
});

for (const [path, subject] of [
  ['/appointments', 'crm.api.bench-appointments.create'],
  ['/appointments/in-transaction', 'crm.api.bench-appointments.create-in-transaction'],
] as const) {
  app.post(path, { schema: { body: bodySchema } }, async (request, reply) => {
    const answer = await nats.request(subject, JSON.stringify(request.body), { timeout: 5000 });
    return reply.code(201).header('content-type', 'application/json; charset=utf-8').send(Buffer.from(answer.data));
  });
}

servePeer({ listen: () => app.listen({ host: '127.0.0.1', port: 0 }) });
