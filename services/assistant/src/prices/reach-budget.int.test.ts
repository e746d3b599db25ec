import { randomUUID } from 'node:crypto';
import { type AssistantSettings, updateAssistantSettings } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { testContext } from '@mostrador/testing/context';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAssistant, type TestAssistant } from '../../test/assistant.ts';
import { limitsOf } from './budget.ts';
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

const unlimited = { mostCalls: 1_000_000, mostMicros: null, mostTokens: null };

type Limits = { ai_daily_calls?: number; ai_daily_budget?: number | null; ai_daily_tokens?: number | null };

/** A store whose calls are taken, settled and refused as turns do it. `looksAlways`: also where turns need not look. */
async function openStore(settings?: Limits, { looksAlways = false } = {}) {
  let looks = 0;
  const storeId = randomUUID();
  const scope = () => ({ storeId, deadline: Date.now() + 30_000 });
  const limit = (body: Limits) => assistant.rpc.call(updateAssistantSettings, { body }, testContext({ storeId }));
  const look = async (sql: TransactionSql, cause = {}) => {
    looks += 1;
    await reachBudget(sql, storeId, prices, cause);
  };
  if (settings) await limit(settings);
  /** Takes a call under limits that were read before. */
  const take = (micros = 0, limits: DayLimits = unlimited, tokens = 0): Promise<CallReservation | undefined> =>
    assistant.database.write(scope(), async (sql) => {
      const call = { id: randomUUID(), agentId: randomUUID(), model: 'openai/m', micros, tokens };
      const taken = await reserveCall(sql, storeId, limits, call);
      if (!taken) await look(sql, { refused: call });
      else if (looksAlways || taken.mayReach) await look(sql);
      return taken;
    });
  const settle = (taken: CallReservation, cost: number, tokens = taken.tokens) =>
    assistant.database.write(scope(), async (sql) => {
      await closeCall(sql, storeId, taken.callId);
      const isAsTaken = cost === taken.micros && tokens === taken.tokens;
      const [settled] = isAsTaken ? [] : await settleCall(sql, storeId, taken, { micros: cost, tokens });
      if (looksAlways || (settled?.mayReach ?? true)) await look(sql);
    });
  return {
    ...{ limit, take, settle },
    looks: () => looks,
    takeMany: (count: number, micros?: number, limits?: DayLimits, tokens?: number) =>
      Promise.all(Array.from({ length: count }, () => take(micros, limits, tokens))),
    /** What the store was told: the percent, the limit, and what was used of it. */
    told: async () =>
      (await assistant.feed(storeId)).map(({ type, data }) => {
        expect(type).toBe('assistant.budget_reached');
        const { percent, limit: which, calls, most_calls, spent, most_spent, tokens, most_tokens } = data;
        if (which === 'tokens') return [percent, tokens, most_tokens];
        return which === 'calls' ? [percent, calls, most_calls] : [percent, spent, most_spent];
      }),
  };
}

test('80 and 100 percent of the calls are told once each, also when calls are taken at once', async () => {
  const { takeMany, told } = await openStore({ ai_daily_calls: 20 });
  const limits = { mostCalls: 20, mostMicros: null, mostTokens: null };
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
    await take(0, { mostCalls: 8, mostMicros: null, mostTokens: null });
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
    await take(0, { mostCalls: 10, mostMicros: null, mostTokens: null });
    const first = [
      [80, 8, 10],
      [100, 10, 10],
    ];
    expect((await told()).toSorted()).toEqual(first.toSorted());
    // Too little for 80 percent to be new, and a refusal is.
    await limit({ ai_daily_calls: 11 });
    await takeMany(2, 0, { mostCalls: 11, mostMicros: null, mostTokens: null });
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
    await takeMany(6, 0, { mostCalls: 5, mostMicros: null, mostTokens: null });
    expect(await told()).toHaveLength(2);
    await limit({ ai_daily_calls: 5, ai_daily_budget: null });
    await takeMany(1, 0, { mostCalls: 5, mostMicros: null, mostTokens: null });
    expect(await told()).toHaveLength(2);
  });
});

test('money is told when calls have ended, not while they may cost it', async () => {
  const { takeMany, settle, told } = await openStore({ ai_daily_budget: 1 });
  const limits = { ...unlimited, mostMicros: 1_000_000, mostTokens: null };
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

test('tokens are told when calls have ended, and no call is made for which too few are left', async () => {
  const { takeMany, settle, limit, told } = await openStore({ ai_daily_tokens: 10_000 });
  const limits = { ...unlimited, mostTokens: 10_000 };
  const taken = await takeMany(12, 0, limits, 1_000);
  expect(taken.filter(Boolean)).toHaveLength(10);
  expect(await told()).toEqual([[100, 10_000, 10_000]]);
  const [first, ...others] = taken.filter(Boolean) as [CallReservation, ...CallReservation[]];
  await Promise.all(others.map((call) => settle(call, 0, 100)));
  await settle(first, 0, 900);
  await limit({ ai_daily_tokens: 2_400 });
  expect((await told()).slice(1)).toEqual([]);
  const [last] = (await takeMany(1, 0, { ...unlimited, mostTokens: 2_400 }, 500)) as [CallReservation];
  expect((await told()).slice(1)).toEqual([]);
  await settle(last, 0, 120);
  expect((await told()).slice(1)).toEqual([[80, 1_920, 2_400]]);
});

test('money is told once when calls end at once that cost what they could', async () => {
  const { takeMany, settle, told } = await openStore({ ai_daily_budget: 1 });
  const taken = (await takeMany(10, 100_000)) as CallReservation[];
  await Promise.all(taken.map((call) => settle(call, call.micros)));
  expect(await told()).toEqual([[80, 1, 1]]);
});

describe('a call far from the limits', () => {
  test('does not look, and of those near them only the first one does', async () => {
    const { takeMany, settle, looks } = await openStore({ ai_daily_calls: 100, ai_daily_budget: 1 });
    const taken = (await takeMany(79, 1_000)) as CallReservation[];
    await Promise.all(taken.map((call) => settle(call, 900)));
    expect(looks()).toBe(0);
    await takeMany(10);
    expect(looks()).toBe(1);
  });

  test('looks when it is the first one of a day', async () => {
    const { takeMany, looks } = await openStore();
    await takeMany(10);
    expect(looks()).toBe(1);
  });

  const micros = fc.integer({ min: 0, max: 300_000 });
  const tokens = fc.integer({ min: 0, max: 30_000 });
  const operation = fc.oneof(
    { weight: 4, arbitrary: fc.record({ take: micros, tokens }) },
    { weight: 3, arbitrary: fc.record({ settle: fc.nat(20), cost: micros, tokens }) },
    {
      weight: 1,
      arbitrary: fc.record({
        limit: fc.record({
          ai_daily_calls: fc.integer({ min: 1, max: 12 }),
          ai_daily_budget: fc.option(fc.integer({ min: 1, max: 2 })),
          ai_daily_tokens: fc.option(fc.integer({ min: 1, max: 200_000 })),
        }),
      }),
    },
  );

  test('has nothing to tell: a store whose calls always look is told the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 25 }), async (operations) => {
        const told = await Promise.all(
          [false, true].map(async (looksAlways) => {
            const store = await openStore({ ai_daily_calls: 6, ai_daily_budget: 1 }, { looksAlways });
            let limits: DayLimits = { mostCalls: 6, mostMicros: 1_000_000, mostTokens: null };
            const running: CallReservation[] = [];
            for (const one of operations) {
              if ('take' in one) {
                const taken = await store.take(one.take, limits, one.tokens);
                if (taken) running.push(taken);
              } else if ('settle' in one) {
                const [call] = running.splice(one.settle % Math.max(running.length, 1), 1);
                if (call) {
                  await store.settle(call, Math.min(one.cost, call.micros), Math.min(one.tokens, call.tokens));
                }
              } else {
                await store.limit(one.limit);
                // The next refusal comes from them, and calls were taken under the earlier ones.
                limits = limitsOf(one.limit as AssistantSettings);
              }
            }
            return await store.told();
          }),
        );
        expect(told[0]).toEqual(told[1]);
      }),
      { numRuns: 15 },
    );
  });
});
