import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { syncCalendarEvent } from '@mostrador/contracts';
import { reportClosing, reportServices } from '@mostrador/contracts/workflows';
import { connectTemporal } from '@mostrador/kit/clients/temporal';
import { createRpcServer } from '@mostrador/kit/rpc/server';
import { freePorts } from '@mostrador/local-platform/ports';
import { silentLog } from '@mostrador/testing/context';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { type OwnTemporal, prepareOwnTemporal } from '@mostrador/testing/servers/own-temporal';
import { waitFor } from '@mostrador/testing/wait';
import { Connection, ScheduleClient } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleCache, done, untilSignal } from '../test/stage.ts';

let nats: TestNats;
let temporal: OwnTemporal;
let worker: ChildProcess;

beforeAll(async () => {
  [nats, temporal] = await Promise.all([startTestNats(), prepareOwnTemporal()]);
});
afterAll(async () => {
  worker?.kill('SIGKILL');
  await nats?.stop();
  await temporal?.remove();
});

test('the worker waits for Temporal and NATS, survives a crash of each, and stops cleanly', async () => {
  const log = silentLog();
  const looks: string[] = [];
  createRpcServer({
    nats: nats.nats,
    service: 'scheduling',
    operations: { syncCalendarEvent },
    handlers: {
      syncCalendarEvent: async (_, { body }) => {
        looks.push(body.appointment_id);
        return looks.length < 3 ? untilSignal('credentials_refused') : done;
      },
    },
    log,
  });
  const starter = connectTemporal({ address: temporal.address, namespace: 'default', log });
  const row = { storeId: randomUUID(), entityId: randomUUID() };
  const signal = (name: string) =>
    waitFor(() => starter.signalWithStart('appointment', row, name).then(() => true), {
      description: `the signal ${name} to be accepted`,
    });

  await nats.stopServer();
  const health = await startWorker();
  // It may have to bundle the workflows first.
  await waitFor(async () => (await health('/healthz')) === 200, { description: 'liveness' });
  expect(await health('/readyz')).toBe(503);

  temporal.start();
  await nats.startServer();
  await waitFor(async () => (await health('/readyz')) === 200, { description: 'readiness' });
  const operator = await Connection.connect({ address: temporal.address });
  const schedules = new ScheduleClient({ connection: operator });
  for (const service of reportServices) {
    await waitFor(() => schedules.getHandle(reportClosing.scheduleId(service)).describe(), {
      description: `the schedule that closes the reports of ${service}`,
    });
  }
  await operator.close();
  await signal('created');
  await waitFor(() => looks.length === 1, { description: 'the first step' });

  await temporal.kill();
  await waitFor(async () => (await health('/readyz')) === 503, { description: 'readiness to fail' });
  temporal.start();
  await signal('overdue');
  await waitFor(() => looks.length === 2, { description: 'a step after the crash of Temporal' });

  await nats.stopServer();
  await signal('overdue');
  await nats.startServer();
  await waitFor(() => looks.length === 3, { description: 'a step after the crash of NATS' });
  expect(new Set(looks)).toEqual(new Set([row.entityId]));

  worker.kill('SIGTERM');
  const [exitCode] = await once(worker, 'exit');
  expect(exitCode).toBe(0);
  await starter.close();
});

/** Starts the process. Returns a function that reads the HTTP status of a health endpoint. */
async function startWorker(): Promise<(path: string) => Promise<number>> {
  const [port] = await freePorts(1);
  worker = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NATS_URL: nats.url,
      TEMPORAL_ADDRESS: temporal.address,
      HEALTH_PORT: String(port),
      WORKFLOW_BUNDLE_CACHE: bundleCache,
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
}
