import { Appointment } from '@mostrador/contracts';
import { servePeer } from '@mostrador/local-platform/peer';
import { fastify } from 'fastify';
import { bodySchema, type NewAppointment, openTable } from './database.ts';

// Baselines (a) and (a'): one process, Fastify's own validation and serialization, one statement per request. No keys,
// rate limits, stores, idempotency, deadlines, events or workflows.
const { DATABASE_URL = '' } = process.env;
const table = openTable(DATABASE_URL);
const app = fastify({ logger: false });

app.post<{ Body: NewAppointment }>(
  '/appointments',
  { schema: { body: bodySchema, response: { 201: Appointment } } },
  async (request, reply) => reply.code(201).send(await table.insert(request.body)),
);
app.post<{ Body: NewAppointment }>(
  '/appointments/in-transaction',
  { schema: { body: bodySchema, response: { 201: Appointment } } },
  async (request, reply) => reply.code(201).send(await table.insertInTransaction(request.body)),
);
app.get<{ Params: { id: string } }>(
  '/appointments/:id',
  { schema: { response: { 200: Appointment } } },
  async (request, reply) => (await table.find(request.params.id)) ?? reply.code(404).send(),
);

servePeer({ listen: () => app.listen({ host: '127.0.0.1', port: 0 }) });
