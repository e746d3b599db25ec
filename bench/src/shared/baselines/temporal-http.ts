import { randomUUID } from 'node:crypto';
import { servePeer } from '@mostrador/local-platform/peer';
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client';
import { fastify } from 'fastify';
import { bodySchema, type NewAppointment } from './database.ts';

// Baseline (b): Fastify that creates inside a workflow, by Update-with-Start. Also the bare side of the drain: it wakes
// workflows with 16 parallel calls, as many as the relay makes.
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

/** Starts this many new workflows, each with a signal. */
const wakeMany = (count: number, type: string, signal: string) => wake(count, () => wakeUpOf(type, signal));

const wakeUpOf = (type: string, signal: string): WakeUp => [
  type,
  { workflowId: `${type}:${randomUUID()}`, taskQueue: 'bench', signal },
];

/** Wakes each workflow this many times, in turns: all of them once, then all of them again. */
async function wakeInTurns({ workflows, times }: { workflows: number; times: number }): Promise<void> {
  const run = randomUUID();
  await wake(workflows * times, (index) => [
    'carryQueue',
    { workflowId: `carry:${run}:${index % workflows}`, taskQueue: 'bench', signal: 'accepted' },
  ]);
}

type WakeUp = Parameters<typeof workflow.signalWithStart>;

async function wake(count: number, wakeUpOf: (index: number) => WakeUp): Promise<void> {
  let next = 0;
  await wakeWhile(
    () => next < count,
    () => wakeUpOf(next++),
  );
}

async function wakeWhile(more: () => boolean, wakeUp: () => WakeUp): Promise<void> {
  const sender = async () => {
    while (more()) await workflow.signalWithStart(...wakeUp());
  };
  await Promise.all(Array.from({ length: parallelSignals }, sender));
}

let waking: Promise<void> | undefined;
let isWaking = false;

/** Starts new workflows, each with a signal, until `stopWaking`. */
function keepWaking(): void {
  isWaking = true;
  waking = wakeWhile(
    () => isWaking,
    () => wakeUpOf('carryNothing', 'created'),
  );
}

async function stopWaking(): Promise<void> {
  isWaking = false;
  await waking;
}

servePeer({
  listen: () => app.listen({ host: '127.0.0.1', port: 0 }),
  wakeMany: (count: number) => wakeMany(count, 'carryNothing', 'created'),
  keepWaking: async () => keepWaking(),
  stopWaking,
  startWaiting: (count: number) => wakeMany(count, 'waitLong', 'scheduled'),
  wakeInTurns,
});
