import { randomUUID } from 'node:crypto';
import { appendEvents, createWebhookEndpoint, eventsOperations } from '@mostrador/contracts';
import { entityWorkflows } from '@mostrador/contracts/workflows';
import { startWebhookReceiver, type WebhookReceiver } from '@mostrador/testing/providers/webhook-receiver/server';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPlatform } from './stage.ts';

const { getWebhookDelivery, getWebhookEndpoint, updateWebhookEndpoint, listWebhookDeliveries } = eventsOperations;
const hourMs = 3_600_000;

let stage: Awaited<ReturnType<typeof startPlatform>>;
let receiver: WebhookReceiver;
beforeAll(async () => {
  [stage, receiver] = await Promise.all([
    startPlatform({ service: 'events', processes: ['events', 'workflows'] }),
    startWebhookReceiver(),
  ]);
});
afterAll(async () => {
  await stage?.stop();
  await receiver?.close();
});

/** An endpoint of a new store, whose time the test moves. */
async function newEndpoint() {
  const storeId = randomUUID();
  const { adminSql } = stage.database;
  const { id, secret } = await stage.call(createWebhookEndpoint, { body: { url: receiver.url } }, storeId);
  receiver.trust(secret);
  const params = { endpointId: id };
  const workflow = stage.temporal.client.workflow.getHandle(entityWorkflows.webhook.workflowId(id));
  let version = 0;
  let passedMs = 0;
  return {
    passedMs: () => passedMs,
    read: () => stage.call(getWebhookEndpoint, { params }, storeId),
    resume: () => stage.call(updateWebhookEndpoint, { params, body: { status: 'enabled' } }, storeId),
    deliveries: async () =>
      (await stage.call(listWebhookDeliveries, { params, query: { limit: 200 } }, storeId)).data.sort(
        (a, b) => (a.sequence ?? 0) - (b.sequence ?? 0),
      ),
    delivery: (deliveryId: string) => stage.call(getWebhookDelivery, { params: { ...params, deliveryId } }, storeId),
    /** Appends an event of each lead. */
    async append(...leads: readonly string[]) {
      const entries = leads.map((lead_id) => {
        version += 1;
        return {
          ...{ id: randomUUID(), store_id: storeId, type: 'lead.updated' as const },
          ...{ entity: { type: 'lead', id: lead_id, version }, created_at: new Date().toISOString() },
          data: { lead_id, object: null },
        };
      });
      await stage.call(appendEvents, { body: { entries } });
    },
    /** Resolves when an attempt has failed, none runs, and the next one is due later. */
    untilWaiting: () =>
      waitFor(
        async () => {
          const [row] = await adminSql`
            select 1 from webhook_endpoints e
            where id = ${id} and failures > 0 and (due_at is null or due_at > now()) and not exists (
              select from webhook_deliveries d where d.endpoint_id = e.id and d.lease_token is not null)`;
          return row !== undefined;
        },
        { description: 'the endpoint waits' },
      ),
    /** Lets the time of the rows pass until the next attempt is due, and wakes the workflow as the sweep does. */
    async passUntilDue() {
      const [row] = await adminSql<{ ms: number }[]>`
        select greatest(0, extract(epoch from due_at - now()) * 1000)::float8 as ms from webhook_endpoints
        where id = ${id} and due_at is not null`;
      if (!row) throw new Error('no attempt is due');
      const earlier = adminSql`${row.ms} * interval '1 millisecond'`;
      await adminSql.begin(async (sql) => {
        await sql`
          update webhook_deliveries
          set next_attempt_at = next_attempt_at - ${earlier}, first_failed_at = first_failed_at - ${earlier},
              last_failed_at = last_failed_at - ${earlier}, completed_at = completed_at - ${earlier}
          where endpoint_id = ${id}`;
        await sql`
          update webhook_endpoints
          set due_at = due_at - ${earlier}, failing_since = failing_since - ${earlier},
              blocked_until = blocked_until - ${earlier}
          where id = ${id}`;
      });
      passedMs += row.ms;
      await workflow.signal('overdue');
    },
  };
}

test('an endpoint that answers 500 for five days is disabled, and gets everything in order after its resumption', async () => {
  receiver.answer(() => ({ status: 500 }));
  const endpoint = await newEndpoint();
  const [first, second] = [randomUUID(), randomUUID()];
  await endpoint.append(first, first, second);
  await endpoint.untilWaiting();
  let isRestarted = false;
  for (let days = 1; (await endpoint.read()).status === 'enabled'; ) {
    await endpoint.passUntilDue();
    await endpoint.untilWaiting();
    if (!isRestarted && endpoint.passedMs() > 48 * hourMs) {
      await stage.restart('events');
      isRestarted = true;
    }
    if (endpoint.passedMs() < days * 24 * hourMs) continue;
    days += 1;
    await endpoint.append(days % 2 === 0 ? first : second);
  }
  expect(endpoint.passedMs()).toBeGreaterThanOrEqual(120 * hourMs);
  expect(await endpoint.read()).toMatchObject({ disabled_reason: 'failing', health: { next_attempt_at: null } });
  // The first were given up long before the fifth day, by the first answer from the tenth attempt on. That is the tenth,
  // unless the machine stands still: an attempt without an answer does not give up.
  const { status, log } = await endpoint.delivery((await endpoint.deliveries())[0]?.id as string);
  expect(status).toBe('failed');
  const lastAnswers = log.slice(0, -9).map(({ response_status }) => response_status);
  expect(lastAnswers).toEqual([500, ...lastAnswers.slice(1).fill(null)]);
  const refused = receiver.received.length;
  await endpoint.append(second, first);

  receiver.answer(() => ({ status: 200 }));
  await endpoint.resume();
  await expect
    .poll(async () => new Set((await endpoint.deliveries()).map(({ status }) => status)))
    .toEqual(new Set(['succeeded']));
  const sent = receiver.received.slice(refused).map(({ event }) => event);
  const all = (await endpoint.deliveries()).map(({ sequence }) => sequence);
  expect(all).toEqual(Array.from({ length: all.length }, (_, index) => index + 1));
  expect(sent.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(all);
  for (const lead of [first, second]) {
    const ofLead = sent.filter(({ entity }) => entity.id === lead).map(({ sequence }) => sequence);
    expect(ofLead).toEqual(ofLead.toSorted((a, b) => a - b));
  }
  expect((await endpoint.read()).health).toMatchObject({ failing_since: null, pending: 0 });
  expect(receiver.faults).toEqual([]);
});
