import { randomUUID } from 'node:crypto';
import { type NextStep, syncCalendarEvent } from '@mostrador/contracts';
import { appointmentCarrier, type SignalOf } from '@mostrador/contracts/workflows';
import { createRpcClient } from '@mostrador/kit/rpc-client';
import { createRpcServer } from '@mostrador/kit/rpc-server';
import { connectTemporal } from '@mostrador/kit/temporal';
import { silentLog } from '@mostrador/kit/testing/context';
import { startTestNats } from '@mostrador/kit/testing/nats';
import { testTemporal } from '@mostrador/kit/testing/temporal';
import type { WorkflowHandle } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { schedulingActivities } from '../activities/scheduling.activities.ts';
import { loadWorkflowBundle, type WorkflowBundle } from '../bundle.ts';
import { createCarrierWorker } from '../carrier-worker.ts';
import { installRuntime } from '../runtime.ts';

/** Stands for the service: what it answers to the nth look (from 1) at an appointment. */
export type Script = (look: number) => NextStep | Promise<NextStep>;

export type StagedAppointment = {
  id: string;
  storeId: string;
  /** How many looks have begun. */
  looks(): number;
  /** What the relay does. */
  signal(name: SignalOf<'appointment'>): Promise<void>;
  /** The workflow, whichever run is the current one. */
  workflow: WorkflowHandle;
};

export const done: NextStep = { done: true, wake_at: null, reason: 'synced' };
export const untilSignal = (reason: string): NextStep => ({ done: false, wake_at: null, reason });
export const again = (afterMs: number, reason: string): NextStep => ({
  done: false,
  wake_at: new Date(Date.now() + afterMs).toISOString(),
  reason,
});

export type CarrierStage = Awaited<ReturnType<typeof startCarrierStage>>;

/**
 * The workflow alone on real servers: the real relay's starter, Temporal, worker, activity, NATS and RPC server; only
 * what the service answers is scripted.
 */
export async function startCarrierStage() {
  const log = silentLog();
  const logger = installRuntime(log);
  const [nats, temporal, bundle] = await Promise.all([startTestNats(), testTemporal(), loadWorkflowBundle({ logger })]);
  const { address, namespace, client } = temporal;
  const starter = connectTemporal({ address, namespace, log });
  const connection = await NativeConnection.connect({ address });

  const appointments = new Map<string, { script: Script; looks: number }>();
  const serve = () =>
    createRpcServer({
      nats: nats.nats,
      service: 'scheduling',
      operations: { syncCalendarEvent },
      handlers: {
        syncCalendarEvent: async (_context, { body }) => {
          const appointment = appointments.get(body.appointment_id);
          if (!appointment) throw new Error('no script for this appointment');
          appointment.looks += 1;
          return appointment.script(appointment.looks);
        },
      },
      log,
    });
  let server = serve();

  const startWorker = async (code: WorkflowBundle = bundle) => {
    const worker = createCarrierWorker({
      connection,
      namespace,
      taskQueue: appointmentCarrier.taskQueue,
      bundle: code,
      activities: schedulingActivities(createRpcClient({ nats: nats.nats, log })),
      shutdownTimeoutMs: 5_000,
      log,
    });
    await worker.start();
    return worker;
  };
  let worker = await startWorker();

  return {
    client,
    bundle,
    /** An appointment of a new store; `signal` starts its workflow. */
    appointment(script: Script): StagedAppointment {
      const [id, storeId] = [randomUUID(), randomUUID()];
      const staged = { script, looks: 0 };
      appointments.set(id, staged);
      return {
        id,
        storeId,
        looks: () => staged.looks,
        signal: (name) => starter.signalWithStart('appointment', { storeId, entityId: id }, name),
        workflow: client.workflow.getHandle(appointmentCarrier.workflowId(id)),
      };
    },
    async stopService() {
      await server.drain();
    },
    startService() {
      server = serve();
    },
    /** By one with the same code, or with another version. */
    async replaceWorker(code?: WorkflowBundle) {
      await worker.stop();
      worker = await startWorker(code);
    },
    async stop() {
      await worker.stop();
      await server.drain();
      await starter.close();
      await connection.close();
      await temporal.close();
      await nats.stop();
    },
  };
}
