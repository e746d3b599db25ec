import { randomUUID } from 'node:crypto';
import { searchAttributes } from '@mostrador/contracts/workflows';
import { keyword } from '@mostrador/kit/clients/temporal-namespace';
import { silentLog } from '@mostrador/testing/context';
import { type TestTemporal, testTemporal } from '@mostrador/testing/servers/temporal';
import { waitFor } from '@mostrador/testing/wait';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bundleCache } from '../test/stage.ts';
import { loadWorkflowBundle } from './bundle.ts';
import { createTaskQueueWorker } from './task-queue-worker.ts';

let temporal: TestTemporal;
let connection: NativeConnection;

beforeAll(async () => {
  temporal = await testTemporal();
  connection = await NativeConnection.connect({ address: temporal.address });
});
afterAll(async () => {
  await connection?.close();
  await temporal?.close();
});

test('a worker that started before its namespace existed polls once the namespace exists', async () => {
  const namespace = `late-${randomUUID()}`;
  const log = silentLog();
  const failed = vi.spyOn(log, 'error');
  const worker = createTaskQueueWorker({
    connection,
    namespace,
    identity: 'test',
    taskQueue: 'appointments',
    bundle: await loadWorkflowBundle({ cacheDirectory: bundleCache }),
    activities: () => ({}),
    shutdownTimeoutMs: 1_000,
    log,
  });
  const started = worker.start();
  await waitFor(() => failed.mock.calls.length >= 3, { description: 'three failures to start' });

  const { workflowService, operatorService } = temporal.client.connection;
  // @ts-expect-error: the type asks for a Long, and the encoder takes numbers too.
  await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 } });
  await waitFor(
    () =>
      operatorService.addSearchAttributes({
        namespace,
        searchAttributes: Object.fromEntries(Object.values(searchAttributes).map((name) => [name, keyword])),
      }),
    { description: 'the search attributes' },
  );
  await started;
  worker.assertPolling();
  await worker.stop();
  const reasons = failed.mock.calls.map(([fields]) => (fields as unknown as { err: Error }).err.message);
  expect(reasons).not.toContainEqual(expect.stringContaining('overlapping'));
});
