import { randomUUID } from 'node:crypto';
import { updateAssistantSettings } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAssistant, type TestAssistant } from '../../test/assistant.ts';
import { closeCall } from './model-call.repository.ts';
import { type CallReservation, type DayLimits, reserveCall, settleCall } from './model-day.repository.ts';
import { toPriceList } from './price-list.ts';
import { reachBudget } from './reach-budget.ts';

const prices = toPriceList(
  JSON.stringify({ currency: 'XTS', prices: [{ model: 'openai/m', from: '2026-01-01', input: 1, output: 1 }] }),
);
let assistant: TestAssistant;
beforeAll(async () => {
  assistant = await startAssistant({ prices });
});
afterAll(() => assistant?.stop());

const unlimited = { mostCalls: 1_000_000, mostMicros: null };

/** A store whose calls are taken, settled and refused as turns do it. */
async function openStore(settings: { ai_daily_calls?: number; ai_daily_budget?: number | null }) {
  const storeId = randomUUID();
  const scope = () => ({ storeId, deadline: Date.now() + 30_000 });
  const limit = (body: typeof settings) =>
    assistant.rpc.call(updateAssistantSettings, { body }, testContext({ storeId }));
  await limit(settings);
  /** Takes a call under limits that were read before. */
  const take = (micros = 0, limits: DayLimits = unlimited) =>
    assistant.database.write(scope(), async (sql) => {
      const call = { id: randomUUID(), agentId: randomUUID(), model: 'openai/m', micros };
      const taken = await reserveCall(sql, storeId, limits, call);
      await reachBudget(sql, storeId, prices, taken ? {} : { refusedMicros: micros });
      return taken;
    });
  const settle = (taken: CallReservation, cost: number) =>
    assistant.database.write(scope(), async (sql) => {
      await closeCall(sql, storeId, taken.callId);
      if (cost !== taken.micros) await settleCall(sql, storeId, taken, cost);
      await reachBudget(sql, storeId, prices);
    });
  return {
    ...{ limit, take, settle },
    takeMany: (count: number, micros?: number, limits?: DayLimits) =>
      Promise.all(Array.from({ length: count }, () => take(micros, limits))),
    /** What the store was told: the percent, the limit, and what was used of it. */
    told: async () =>
      (await assistant.feed(storeId)).map(({ type, data }) => {
        expect(type).toBe('assistant.budget_reached');
        const { percent, limit: which, calls, most_calls, spent, most_spent } = data;
        return which === 'calls' ? [percent, calls, most_calls] : [percent, spent, most_spent];
      }),
  };
}

test('80 and 100 percent of the calls are told once each, also when calls are taken at once', async () => {
  const { takeMany, told } = await openStore({ ai_daily_calls: 20 });
  const limits = { mostCalls: 20, mostMicros: null };
  await takeMany(15, 0, limits);
  expect(await told()).toEqual([]);
  const taken = await takeMany(15, 0, limits);
  expect(taken.filter(Boolean)).toHaveLength(5);
  expect(await told()).toEqual([
    [80, 16, 20],
    [100, 20, 20],
  ]);
});

describe('a limit that is changed', () => {
  test('holds for a call that was taken under the earlier one', async () => {
    const { limit, take, takeMany, told } = await openStore({ ai_daily_calls: 10 });
    await takeMany(7);
    await limit({ ai_daily_calls: 20 });
    await take();
    await take(0, { mostCalls: 8, mostMicros: null });
    expect(await told()).toEqual([]);
    await takeMany(8);
    expect(await told()).toEqual([[80, 16, 20]]);
  });

  test('is told of once, when calls are taken meanwhile', async () => {
    const { limit, takeMany, told } = await openStore({ ai_daily_calls: 10 });
    await Promise.all([takeMany(12), limit({ ai_daily_calls: 20 }), takeMany(8)]);
    const first = [80, 8, 10];
    const second = [80, 16, 20];
    // It was changed after 16 calls, after 8, or before.
    expect([[first], [first, second], [second]]).toContainEqual(await told());
  });

  test('and raised is told again when it is reached again', async () => {
    const { limit, take, takeMany, told } = await openStore({ ai_daily_calls: 10 });
    await takeMany(10);
    await take(0, { mostCalls: 10, mostMicros: null });
    const first = [
      [80, 8, 10],
      [100, 10, 10],
    ];
    expect((await told()).toSorted()).toEqual(first.toSorted());
    // Too little for 80 percent to be new, and a refusal is.
    await limit({ ai_daily_calls: 11 });
    await takeMany(2, 0, { mostCalls: 11, mostMicros: null });
    expect((await told()).slice(2)).toEqual([[100, 11, 11]]);
    await limit({ ai_daily_calls: 20 });
    await takeMany(5);
    expect((await told()).slice(3)).toEqual([[80, 16, 20]]);
  });

  test('and lowered is told at once, and once', async () => {
    const { limit, takeMany, told } = await openStore({ ai_daily_calls: 20 });
    await takeMany(8);
    for (const ai_daily_calls of [10, 10, 9, 8]) await limit({ ai_daily_calls });
    expect(await told()).toEqual([[80, 8, 10]]);
  });

  test('to the same says nothing new', async () => {
    const { limit, takeMany, told } = await openStore({ ai_daily_calls: 5 });
    await takeMany(6, 0, { mostCalls: 5, mostMicros: null });
    expect(await told()).toHaveLength(2);
    await limit({ ai_daily_calls: 5, ai_daily_budget: null });
    await takeMany(1, 0, { mostCalls: 5, mostMicros: null });
    expect(await told()).toHaveLength(2);
  });
});

test('money is told when calls have ended, not while they may cost it', async () => {
  const { takeMany, settle, told } = await openStore({ ai_daily_budget: 1 });
  const limits = { ...unlimited, mostMicros: 1_000_000 };
  const taken = await takeMany(10, 100_000, limits);
  expect(await told()).toEqual([]);
  const [first, second, ...others] = taken as [CallReservation, CallReservation, ...CallReservation[]];
  await settle(first, 700_000);
  expect(await told()).toEqual([]);
  await settle(second, 100_000);
  expect(await told()).toEqual([[80, 1.6, 1]]);
  await Promise.all(others.map((call) => settle(call, 0)));
  await takeMany(3, 100_001, limits);
  expect((await told()).slice(1)).toEqual([[100, 0.900001, 1]]);
});

test('money is told once when calls end at once that cost what they could', async () => {
  const { takeMany, settle, told } = await openStore({ ai_daily_budget: 1 });
  const taken = (await takeMany(10, 100_000)) as CallReservation[];
  await Promise.all(taken.map((call) => settle(call, call.micros)));
  expect(await told()).toEqual([[80, 1, 1]]);
});
