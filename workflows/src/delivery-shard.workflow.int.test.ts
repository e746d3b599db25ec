import { AppError } from '@mostrador/kit/rpc/errors';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentDetails } from '../test/current-details.ts';
import { done, startWorkflowStage, type WorkflowStage } from '../test/stage.ts';

// `appointment.workflow.int.test.ts` tests the guarantees of every entity workflow. This file adds those of a shard, and
// of a reply, whose due steps share an activity, too.

let stage: WorkflowStage;
beforeAll(async () => {
  stage = await startWorkflowStage();
});
afterAll(() => stage?.stop());

test('one step asks again and again while the shard is open, under one fence, and Temporal shows one activity', async () => {
  const shard = stage.shard((look) => ({ state: look <= 5 ? 'open' : 'closed' }));
  await shard.signal('message_accepted');
  await shard.workflow.result();
  expect(shard.looks()).toBe(6);
  expect(new Set(shard.fences).size).toBe(1);
  const { events } = await shard.workflow.fetchHistory();
  expect(events?.filter((event) => event.activityTaskScheduledEventAttributes)).toHaveLength(1);
  // It belongs to several stores.
  const { typedSearchAttributes } = await shard.workflow.describe();
  expect(typedSearchAttributes.getAll().map(({ key }) => key.name)).not.toContain('StoreId');
});

test('a request that fails ends the step, and the next attempt has a higher fence', async () => {
  const shard = stage.shard((look) => {
    if (look === 2) throw new AppError('upstream_timeout');
    return { state: look === 1 ? 'open' : 'closed' };
  });
  await shard.signal('message_accepted');
  await shard.workflow.result();
  expect(shard.looks()).toBe(3);
  const [first = 0, second = 0, third = 0] = shard.fences;
  expect(second).toBe(first);
  expect(third).toBeGreaterThan(second);
});

test('while the shard waits, an operator reads which queues wait, since when, until when and why', async () => {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const since = new Date().toISOString();
  const queue = { lead_id: crypto.randomUUID(), since, until, reason: 'an attempt failed (away)' };
  const shard = stage.shard((look) => (look === 1 ? { wake_at: until, waiting: [queue] } : {}));
  await shard.signal('message_accepted');
  await waitFor(async () => (await currentDetails(shard.workflow)).startsWith('Waits'), { description: 'it waits' });
  const details = await currentDetails(shard.workflow);
  for (const text of [queue.lead_id, since, until, queue.reason]) expect(details).toContain(text);
  expect(await shard.workflow.query('waiting')).toEqual([queue]);
  await shard.signal('retried');
  await shard.workflow.result();
});

test('a worker that stops ends its step, and another one goes on', async () => {
  const asked = Promise.withResolvers<void>();
  let last = false;
  const shard = stage.shard(async () => {
    asked.resolve();
    return { state: last ? 'closed' : 'open' };
  });
  await shard.signal('message_accepted');
  await asked.promise;
  await stage.replaceWorker();
  last = true;
  await shard.workflow.result();
  expect(new Set(shard.fences).size).toBeGreaterThan(1);
});

test('the steps of a reply that are due share a local activity, and at most ten do', async () => {
  const due = { done: false, wake_at: new Date(0).toISOString(), reason: 'it is decided' };
  const lead = stage.reply((look) => (look <= 12 ? due : done));
  await lead.signal('received');
  await lead.workflow.result();
  expect(lead.looks()).toBe(13);
  const { events } = await lead.workflow.fetchHistory();
  expect(events?.filter((event) => event.markerRecordedEventAttributes)).toHaveLength(2);
});
