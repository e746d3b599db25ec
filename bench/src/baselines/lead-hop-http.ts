import { fastify } from 'fastify';
import { connect, StringCodec } from 'nats';
import { servePeer } from '../peer.ts';

// The hop, first half: Fastify that asks another process over NATS and hands the bytes of the answer on.
const nats = await connect({ servers: process.env.NATS_URL ?? '', noAsyncTraces: true });
const text = StringCodec();
const app = fastify({ logger: false });

app.get<{ Params: { id: string } }>('/leads/:id', async (request, reply) => {
  const answer = await nats.request('bench.leads.get', text.encode(request.params.id), { timeout: 5000 });
  if (answer.data.length === 0) return reply.code(404).send();
  return reply.header('content-type', 'application/json; charset=utf-8').send(Buffer.from(answer.data));
});

servePeer({ listen: () => app.listen({ host: '127.0.0.1', port: 0 }) });
