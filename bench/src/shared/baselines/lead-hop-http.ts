import { servePeer } from '@mostrador/local-platform/peer';
import { fastify } from 'fastify';
import { StringCodec } from 'nats';
import { openNats } from './nats.ts';

// The hop, first half: Fastify that sends a request to another process over NATS and forwards the response bytes.
const nats = await openNats(process.env.NATS_URL ?? '');
const text = StringCodec();
const app = fastify({ logger: false });

app.get<{ Params: { id: string } }>('/leads/:id', async (request, reply) => {
  const answer = await nats.request('crm.api.bench-leads.get', text.encode(request.params.id), { timeout: 5000 });
  if (answer.data.length === 0) return reply.code(404).send();
  return reply.header('content-type', 'application/json; charset=utf-8').send(Buffer.from(answer.data));
});

app.get<{ Querystring: { after: string } }>('/leads', async (request, reply) => {
  const answer = await nats.request('crm.api.bench-leads.list', text.encode(request.query.after), { timeout: 5000 });
  return reply.header('content-type', 'application/json; charset=utf-8').send(Buffer.from(answer.data));
});

servePeer({ listen: () => app.listen({ host: '127.0.0.1', port: 0 }) });
