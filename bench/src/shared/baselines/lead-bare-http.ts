import { Lead } from '@mostrador/contracts';
import { servePeer } from '@mostrador/local-platform/peer';
import { fastify } from 'fastify';
import { openLeads } from './lead-table.ts';

// One process: Fastify with its own serialization, one statement per request. No keys, stores, validation, deadlines,
// history or events.
const { DATABASE_URL = '', STORE_ID = '' } = process.env;
const leads = openLeads(DATABASE_URL, STORE_ID);
const app = fastify({ logger: false });
const schema = { response: { 200: Lead } };

app.get<{ Params: { id: string } }>(
  '/leads/:id',
  { schema },
  async (request, reply) => (await leads.find(request.params.id)) ?? reply.code(404).send(),
);
app.patch<{ Params: { id: string }; Body: { status: string } }>(
  '/leads/:id',
  { schema },
  async (request, reply) => (await leads.setStatus(request.params.id, request.body.status)) ?? reply.code(404).send(),
);

servePeer({ listen: () => app.listen({ host: '127.0.0.1', port: 0 }) });
