import { randomUUID } from 'node:crypto';
import { createAppointment, createFollowup, updateAppointment } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFollowups } from '../test/followups.ts';
import { bodyOf, startScheduling, type TestScheduling } from '../test/scheduling.ts';

let scheduling: TestScheduling;
let followups: Awaited<ReturnType<typeof startFollowups>>;
beforeAll(async () => {
  scheduling = await startScheduling();
  followups = await startFollowups(scheduling);
});
afterAll(async () => {
  await followups?.stop();
  await scheduling?.stop();
});

/** A request of the assistant in a new store. */
type Ask = (context: StoreContext) => Promise<unknown>;

/** What the assistant asks of scheduling under the key of a tool call. */
const requests: Record<string, (storeId: string) => Promise<Ask>> = {
  createAppointment: async () => {
    const body = bodyOf();
    return (context) => scheduling.rpc.call(createAppointment, { body }, context);
  },
  updateAppointment: async (storeId) => {
    const { id: appointmentId } = await scheduling.create(storeId);
    const request = { params: { appointmentId }, body: { status: 'cancelled' as const } };
    return (context) => scheduling.rpc.call(updateAppointment, request, context);
  },
  createFollowup: async (storeId) => {
    const body = { lead_id: scheduling.addLead(storeId), message: 'Ainda tem interesse?', delay_minutes: 60 };
    return (context) => scheduling.rpc.call(createFollowup, { body }, context);
  },
};

describe.each(Object.entries(requests))('%s', (_name, open) => {
  async function openRequest() {
    const storeId = randomUUID();
    const ask = await open(storeId);
    const context = testContext({ storeId, idempotencyKey: randomUUID() });
    const idempotency = {
      ...(context.idempotency as NonNullable<StoreContext['idempotency']>),
      settles: true as const,
    };
    const effects = async () => (await scheduling.feed(storeId)).length;
    return { ask: () => ask(context), settle: () => ask({ ...context, idempotency }), effects };
  }

  test('has no effect after its key was settled', async () => {
    const { ask, settle, effects } = await openRequest();
    const before = await effects();
    await expect(settle()).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    await expect(ask()).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(await effects()).toBe(before);
  });

  test('is settled with its answer when it had its effect', async () => {
    const { ask, settle, effects } = await openRequest();
    const answer = await ask();
    const after = await effects();
    expect(await settle()).toEqual(answer);
    expect(await effects()).toBe(after);
  });
});
