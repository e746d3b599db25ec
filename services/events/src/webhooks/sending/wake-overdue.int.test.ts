import type { Relay } from '@mostrador/kit/outbox/outbox';
import { countOverdue, wakeOverdue } from '@mostrador/kit/step/overdue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEvents, type TestEvents } from '../../../test/events.ts';
import { stageWebhook } from '../../../test/webhooks.ts';
import { overdueEndpoints } from './wake-overdue.ts';

let events: TestEvents;
beforeAll(async () => {
  events = await startEvents();
});
afterAll(() => events?.stop());

test('an endpoint whose workflow is late by more than 30 s is counted, and woken once in five minutes', async () => {
  const { storeId, close } = await stageWebhook(events);
  const lateBy = (seconds: number) => events.adminSql`
    update webhook_endpoints set sender = 'workflow', due_at = now() - ${seconds} * interval '1 second'
    where store_id = ${storeId}`;
  const { systemDatabase } = events.dependencies;
  const relay = events.dependencies.relay as Relay;
  const sweep = () => wakeOverdue({ ...overdueEndpoints, systemDatabase, relay }, new AbortController().signal);
  const counted = () => countOverdue({ ...overdueEndpoints, systemDatabase });
  await lateBy(20);
  expect([await counted(), await sweep()]).toEqual([0, 0]);
  await lateBy(40);
  expect([await counted(), await sweep(), await sweep(), await counted()]).toEqual([1, 1, 0, 1]);
  await close();
});
