import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  advanceFollowup,
  advanceTurn,
  closeConversationReports,
  closeLeadReports,
  closeSchedulingReports,
  deliverMessages,
  deliveryShardId,
  drainWebhook,
  type NextStep,
  pumpDeliveries,
  type ReplyOf,
  syncCalendarEvent,
  watchCalendar,
} from '@mostrador/contracts';
import {
  type EntityWorkflowName,
  entityWorkflows,
  type ReportService,
  reportClosing,
  type SignalOf,
  taskQueues,
} from '@mostrador/contracts/workflows';
import { connectTemporal } from '@mostrador/kit/clients/temporal';
import { createRpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import { createRpcServer } from '@mostrador/kit/rpc/server';
import { silentLog } from '@mostrador/testing/context';
import { startTestNats } from '@mostrador/testing/servers/nats';
import { emptyNamespace, testTemporal } from '@mostrador/testing/servers/temporal';
import { waitFor } from '@mostrador/testing/wait';
import type { WorkflowHandle } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { activities } from '../src/activities/activities.ts';
import { loadWorkflowBundle, type WorkflowBundle } from '../src/bundle.ts';
import { installRuntime } from '../src/runtime.ts';
import { createTaskQueueWorker, type WorkerVersion } from '../src/task-queue-worker.ts';

/** Stands in for the service: returns the answer to step number `look`, from 1. */
export type Script = (look: number) => NextStep | Promise<NextStep>;

type Closed = ReplyOf<typeof closeLeadReports>;
/** Stands in for the service whose reports are closed: returns the answer to step number `step`, from 1. */
export type ClosingScript = (step: number) => Closed | Promise<Closed>;

type Pumped = ReplyOf<typeof pumpDeliveries>;
/** Stands in for messaging, which is asked about a shard: returns the answer to request number `look`, from 1. */
type PumpScript = (look: number) => Partial<Pumped> | Promise<Partial<Pumped>>;

/** A row with its workflow. */
export type Staged<Name extends EntityWorkflowName> = {
  id: string;
  storeId: string;
  /** The number of steps that have begun. */
  looks(): number;
  /** Signals the workflow and starts it if needed, like the relay. */
  signal(name: SignalOf<Name>): Promise<void>;
  /** The current run of the workflow. */
  workflow: WorkflowHandle;
};
export type StagedAppointment = Staged<'appointment'>;
export type StagedLead = Staged<'delivery'>;
export type StagedFollowup = Staged<'followup'>;
type StagedWebhook = Staged<'webhook'>;
type StagedReply = Staged<'reply'>;

export const done: NextStep = { done: true, wake_at: null, reason: 'synced' };
export const untilSignal = (reason: string): NextStep => ({ done: false, wake_at: null, reason });
/** The service rejects the first step, as a bug in the platform would make it do. */
export const refusedOnce: Script = (look) => {
  if (look === 1) throw new AppError('validation_failed');
  return done;
};
export const again = (afterMs: number, reason: string): NextStep => ({
  done: false,
  wake_at: new Date(Date.now() + afterMs).toISOString(),
  reason,
});

export type WorkflowStage = Awaited<ReturnType<typeof startWorkflowStage>>;

/** The bundle is built once for all files and runs, and `npm start` uses it too. */
export const bundleCache = join(import.meta.dirname, '../../.local/cache/workflows');

/** Starts the workflows on real servers, with the real starter of the relay. A script stands in for each service. */
export async function startWorkflowStage() {
  const log = silentLog();
  const logger = installRuntime(log);
  const [nats, temporal, bundle] = await Promise.all([
    startTestNats(),
    testTemporal(),
    loadWorkflowBundle({ cacheDirectory: bundleCache, logger }),
  ]);
  // A schedule or a workflow that another test left would take steps here.
  await emptyNamespace(temporal);
  const { address, namespace, client } = temporal;
  const starter = connectTemporal({ address, namespace, log });
  const connection = await NativeConnection.connect({ address });

  const rows = new Map<string, { script: Script; looks: number }>();
  const look = (id: string) => {
    const row = rows.get(id);
    if (!row) throw new Error('no script for this row');
    row.looks += 1;
    return row.script(row.looks);
  };
  const shards = new Map<number, { script: PumpScript; looks: number; fences: number[] }>();
  const pump = async (shard: number, fence: number): Promise<Pumped> => {
    const staged = shards.get(shard);
    if (!staged) throw new Error('no script for this shard');
    staged.looks += 1;
    staged.fences.push(fence);
    return { state: 'closed', wake_at: null, waiting: [], ...(await staged.script(staged.looks)) };
  };
  const closings = new Map<ReportService, { script: ClosingScript; steps: number }>();
  const close = (service: ReportService) => {
    const closing = closings.get(service);
    if (!closing) throw new Error('no script for this service');
    closing.steps += 1;
    return closing.script(closing.steps);
  };
  const serve = () =>
    createRpcServer({
      nats: nats.nats,
      service: 'stage',
      operations: {
        syncCalendarEvent,
        watchCalendar,
        deliverMessages,
        pumpDeliveries,
        advanceFollowup,
        advanceTurn,
        drainWebhook,
        closeLeadReports,
        closeConversationReports,
        closeSchedulingReports,
      },
      handlers: {
        syncCalendarEvent: async (_context, { body }) => look(body.appointment_id),
        watchCalendar: async (_context, { body }) => look(body.connection_id),
        deliverMessages: async (_context, { body }) => look(body.lead_id),
        pumpDeliveries: async (_context, { body }) => pump(body.shard, body.fence),
        advanceFollowup: async (_context, { body }) => look(body.followup_id),
        advanceTurn: async (_context, { body }) => look(body.lead_id),
        drainWebhook: async (_context, { body }) => look(body.endpoint_id),
        closeLeadReports: async () => close('crm'),
        closeConversationReports: async () => close('messaging'),
        closeSchedulingReports: async () => close('scheduling'),
      },
      log,
    });
  let server = serve();

  const startWorker = async (taskQueue: string, code: WorkflowBundle, version?: WorkerVersion) => {
    const worker = createTaskQueueWorker({
      connection,
      namespace,
      identity: 'stage',
      taskQueue,
      bundle: code,
      version,
      activities: activities(createRpcClient({ nats: nats.nats, log })),
      shutdownTimeoutMs: 5_000,
      log,
    });
    await worker.start();
    return worker;
  };
  const startWorkers = (code: WorkflowBundle = bundle, version?: WorkerVersion) =>
    Promise.all(taskQueues.map((taskQueue) => startWorker(taskQueue, code, version)));
  let workers = await startWorkers();

  const stage = <Name extends EntityWorkflowName>(name: Name, script: Script): Staged<Name> => {
    const [id, storeId] = [randomUUID(), randomUUID()];
    const staged = { script, looks: 0 };
    rows.set(id, staged);
    return {
      id,
      storeId,
      looks: () => staged.looks,
      async signal(signal) {
        const signalled = () => starter.signalWithStart(name, { storeId, entityId: id }, signal, 30_000);
        await waitFor(() => signalled().then(() => true), { description: `the signal ${signal}` });
      },
      workflow: client.workflow.getHandle(entityWorkflows[name].workflowId(id)),
    };
  };

  return {
    address,
    namespace,
    client,
    connection,
    bundle,
    /** An appointment of a new store; `signal` starts its workflow. */
    appointment: (script: Script): StagedAppointment => stage('appointment', script),
    /** A lead of a new store; `signal` starts the delivery of its messages. */
    lead: (script: Script): StagedLead => stage('delivery', script),
    /** A delivery shard that no other scenario has; `signal` starts the delivery of its messages. */
    shard: (script: PumpScript) => {
      const shard = shards.size;
      const staged = { script, looks: 0, fences: [] as number[] };
      shards.set(shard, staged);
      const id = deliveryShardId(shard);
      return {
        id,
        looks: () => staged.looks,
        fences: staged.fences,
        async signal(signal: SignalOf<'deliveryShard'>) {
          const signalled = () =>
            starter.signalWithStart('deliveryShard', { storeId: randomUUID(), entityId: id }, signal, 30_000);
          await waitFor(() => signalled().then(() => true), { description: `the signal ${signal}` });
        },
        workflow: client.workflow.getHandle(entityWorkflows.deliveryShard.workflowId(id)),
      };
    },
    /** The connected calendar of a new store; `signal` starts its watch. */
    calendar: (script: Script): Staged<'calendarWatch'> => stage('calendarWatch', script),
    /** A follow-up of a new store; `signal` starts its workflow. */
    followup: (script: Script): StagedFollowup => stage('followup', script),
    /** A webhook endpoint of a new store; `signal` starts its workflow. */
    webhook: (script: Script): StagedWebhook => stage('webhook', script),
    /** A lead of a new store; `signal` starts the answers to it. */
    reply: (script: Script): StagedReply => stage('reply', script),
    /** The closing of a service's reports; `start` does what its schedule does. */
    closing: (service: ReportService, script: ClosingScript) => {
      const closing = { script, steps: 0 };
      closings.set(service, closing);
      return {
        steps: () => closing.steps,
        start: () =>
          client.workflow.start(reportClosing.name, {
            args: [service],
            taskQueue: reportClosing.taskQueue,
            workflowId: `${reportClosing.scheduleId(service)}-${randomUUID()}`,
          }),
      };
    },
    async stopService() {
      await server.drain();
    },
    startService() {
      server = serve();
    },
    /** Replaces the workers by new ones, with the same code or another version. */
    async replaceWorker(code?: WorkflowBundle) {
      await Promise.all(workers.map((worker) => worker.stop()));
      workers = await startWorkers(code);
    },
    /** Starts the workers of a version of a Worker Deployment beside the others. Returns how to stop them. */
    async startVersion(version: WorkerVersion, code?: WorkflowBundle): Promise<() => Promise<void>> {
      const beside = await startWorkers(code, version);
      return async () => void (await Promise.all(beside.map((worker) => worker.stop())));
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
      await server.drain();
      await starter.close();
      await connection.close();
      await temporal.close();
      await nats.stop();
    },
  };
}
