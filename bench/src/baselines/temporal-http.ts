import { randomUUID } from 'node:crypto';
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client';
import { fastify } from 'fastify';
import { servePeer } from '../peer.ts';
import { bodySchema, type NewAppointment } from './database.ts';

// Baseline (b): Fastify that creates inside a workflow, by Update-with-Start. And the bare side of the drain: what wakes
// workflows as quickly as the relay may, sixteen at a time.
const parallelSignals = 16;
const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '' });
const { workflow } = new Client({ connection });
const app = fastify({ logger: false });

app.post<{ Body: NewAppointment }>('/appointments', { schema: { body: bodySchema } }, async (request, reply) => {
  const id = randomUUID();
  const startWorkflowOperation = new WithStartWorkflowOperation('create', {
    workflowId: `create:${id}`,
    taskQueue: 'bench',
    args: [id],
    workflowIdConflictPolicy: 'FAIL',
  });
  const created = await workflow.executeUpdateWithStart<() => Promise<void>, string, []>('create', {
    startWorkflowOperation: startWorkflowOperation as WithStartWorkflowOperation<() => Promise<void>>,
  });
  return reply.code(201).send({ id: created, ...request.body });
});

async function wakeMany(count: number): Promise<void> {
  let left = count;
  const sender = async () => {
    while (left-- > 0) {
      await workflow.signalWithStart('carryNothing', {
        workflowId: `carry:${randomUUID()}`,
        taskQueue: 'bench',
        signal: 'created',
      });
    }
  };
  await Promise.all(Array.from({ length: parallelSignals }, sender));
}

servePeer({ listen: () => app.listen({ host: '127.0.0.1', port: 0 }), wakeMany });
