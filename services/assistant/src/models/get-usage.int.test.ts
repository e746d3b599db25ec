import { randomUUID } from 'node:crypto';
import { explainMessage, getAiUsage, getStoreAi, type RequestOf, switchStoreAi } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { passage, startAssistant, type TestAssistant } from '../../test/assistant.ts';
import { type MisbehavingModel, startMisbehavingModel } from '../../test/misbehaving-model.ts';
import { budgetGauges } from '../prices/budget-metrics.ts';
import { reserveCall, settleCall } from '../prices/model-day.repository.ts';
import { toPriceList } from '../prices/price-list.ts';
import { countDiedCalls } from './count-died-calls.ts';

/** A call of the misbehaving model has 100 and 20 tokens, and costs 0.0003. At most it could cost 0.05696. */
const prices = toPriceList(
  JSON.stringify({
    currency: 'XTS',
    prices: [{ model: 'openai_compatible/qwen3:8b', from: '2026-01-01', input: 1, output: 10 }],
  }),
);
let assistant: TestAssistant;
let bad: MisbehavingModel;
beforeAll(async () => {
  [assistant, bad] = await Promise.all([startAssistant({ prices }), startMisbehavingModel()]);
});
afterAll(async () => {
  bad?.stop();
  await assistant?.stop();
});

const usage = (storeId: string, query: RequestOf<typeof getAiUsage>['query'] = {}) =>
  assistant.rpc.call(getAiUsage, { query }, testContext({ storeId }));
const today = () => new Date().toISOString().slice(0, 10);
const writes = JSON.stringify({ action: 'reply', text: 'Custa R$ 60.', used_passages: [] });

test('calls, tokens and cost count by day, agent and model, also of calls that fail, and the turn keeps its own', async () => {
  const begun = today();
  const url = bad.model('counted', { writes: 'hm' }, { writes });
  const store = await assistant.openStore({ ai_quiet_seconds: 0 }, [
    { provider: 'openai_compatible', url, model: 'qwen3:8b' },
  ]);
  store.world.passages = [passage('Preços', 'Corte: R$ 60.')];
  await store.write('quanto custa?', { secondsAgo: 1 });
  await store.drain();
  await store.endLease();
  expect(await store.drain()).toMatchObject({ reason: 'sent' });
  const [turn] = await store.turns();
  const { from, to, currency, data } = await usage(store.storeId, { from: begun });
  // When midnight was between the two calls, there are two days.
  const days = [...new Set([begun, to])];
  expect(from).toBe(begun);
  expect([begun, today()]).toContain(to);
  expect(days).toEqual(expect.arrayContaining(data.map(({ day }) => day)));
  expect(new Set(data.map(({ day }) => day)).size).toBe(data.length);
  expect(currency).toBe('XTS');
  const counts = { calls: 0, failed_calls: 0, input_tokens: 0, output_tokens: 0, cost: 0 };
  for (const { day: _, agent_id, model, ...counted } of data) {
    expect({ agent_id, model }).toEqual({ agent_id: turn?.agent_id, model: 'openai_compatible/qwen3:8b' });
    for (const [name, count] of Object.entries(counted)) counts[name as keyof typeof counts] += Number(count);
  }
  expect(counts).toEqual({ calls: 2, failed_calls: 1, input_tokens: 200, output_tokens: 40, cost: 0.0006 });
  expect((await usage(store.storeId)).data).toEqual(data);
  expect((await usage(store.storeId, { to: '2020-01-31' })).data).toEqual([]);
  expect((await usage(randomUUID())).data).toEqual([]);
  expect(turn).toMatchObject({ input_tokens: 200, output_tokens: 40, cost_micros: '600' });
  const counted = await assistant.metrics.text();
  for (const result of ['answered', 'malformed']) {
    expect(counted).toMatch(
      new RegExp(`mostrador_ai_model_calls_total\\{provider="openai_compatible",result="${result}".*\\} 1\\n`),
    );
  }
});

test.each<[string, RequestOf<typeof getAiUsage>['query'], string]>([
  ['no real date', { from: '2026-02-31' }, 'from'],
  ['the wrong order', { from: '2026-02-02', to: '2026-02-01' }, 'from'],
  ['too many days', { from: '2026-01-01', to: '2026-04-03' }, 'from'],
  ['another format', { to: '01/02/2026' }, 'to'],
])('a period with %s is refused', async (_, query, name) => {
  const refused = await usage(randomUUID(), query).catch((error) => error);
  expect(refused).toMatchObject({ code: 'validation_failed', members: { errors: [{ in: 'query', name }] } });
});

test('92 days are shown', async () => {
  const period = { from: '2026-01-01', to: '2026-04-02' };
  expect(await usage(randomUUID(), period)).toEqual({ ...period, currency: 'XTS', data: [] });
});

test('bots answer each other: after 20 answers in an hour a person must go on', async () => {
  const store = await assistant.openStore({ ai_quiet_seconds: 0 });
  store.world.passages = [passage('Preços', 'Corte: R$ 60.')];
  await assistant.adminSql`
    insert into ai_turns (store_id, lead_id, state, first_received_at, last_received_at, answered_to)
    select ${store.storeId}, ${store.leadId}, 'sent', at, at, at
    from generate_series(1, 20) n, lateral (select clock_timestamp() - n * interval '2 minutes' as at)`;
  await store.write('quanto custa o corte?', { secondsAgo: 1 });
  expect(await store.drain()).toMatchObject({ reason: 'handed_over (too_many_answers)' });
  expect(store.world.calls).toBe(0);
});

describe('the budget of a day in money', () => {
  const choices = [{ index: 0, message: { role: 'assistant', content: writes }, finish_reason: 'stop' }];
  /** An answer that tells no tokens. */
  const untold = {
    ...{ status: 200, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices }),
  };
  const open = async (
    name: string,
    ai_daily_budget: number,
    ...answers: Parameters<MisbehavingModel['model']>[1][]
  ) => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0, ai_daily_budget }, [
      { provider: 'openai_compatible', url: bad.model(name, ...answers), model: 'qwen3:8b' },
    ]);
    const context = () => testContext({ storeId: store.storeId, role: 'owner' });
    const budget = async () => (await assistant.rpc.call(getStoreAi, {}, context())).budget;
    store.world.passages = [passage('Preços', 'Corte: R$ 60.')];
    return { ...store, context, budget };
  };
  const told = async ({ feed }: Pick<Awaited<ReturnType<typeof open>>, 'feed'>) =>
    (await feed()).filter(({ type }) => type === 'assistant.budget_reached');

  test('a call that may cost more than is left is not made: a person answers, until the budget is raised', async () => {
    const store = await open('budgeted', 0.0571, { writes });
    await store.write('quanto custa?', { secondsAgo: 2 });
    expect(await store.drain()).toMatchObject({ reason: 'sent' });
    const [turn] = await store.turns();
    store.deliver();
    const params = { leadId: store.leadId, messageId: turn?.id };
    const { cost } = await assistant.rpc.call(explainMessage, { params }, store.context());
    expect(cost).toEqual({ amount: 0.0003, currency: 'XTS' });
    await store.write('e a barba?');
    expect(await store.drain()).toMatchObject({ reason: 'handed_over (budget_reached)' });
    expect(bad.calls('budgeted')).toBe(1);
    expect(await store.budget()).toEqual({
      ...{ day: expect.any(String), calls: 1, most_calls: 500, spent: 0.0003, most_spent: 0.0571, currency: 'XTS' },
      ...{ tokens: 120, most_tokens: null, reached_at: expect.any(String) },
    });
    const raised = await assistant.rpc.call(switchStoreAi, { body: { most_spent: null } }, store.context());
    expect(raised.budget).toMatchObject({ most_spent: null, reached_at: null });
    await store.write('e a barba?');
    expect(await store.drain()).toMatchObject({ reason: 'sent' });
  });

  test('what a call has taken is given back when the provider did not take it, and kept when its tokens are not told', async () => {
    const store = await open('untold', 1, { status: 503, body: '' }, untold);
    await store.write('quanto custa?', { secondsAgo: 1 });
    await store.drain();
    expect(await store.budget()).toMatchObject({ calls: 1, spent: 0, tokens: 0 });
    await store.endLease();
    expect(await store.drain()).toMatchObject({ reason: 'sent' });
    expect(await store.budget()).toMatchObject({ calls: 2, spent: 0.05696, tokens: 20_096 });
  });

  test('a call that may take more tokens than are left is not made: a person answers, until the limit is raised', async () => {
    const store = await open('tokens', 1, { writes });
    const limit = (most_tokens: number | null) =>
      assistant.rpc.call(switchStoreAi, { body: { most_tokens } }, store.context());
    await limit(20_100);
    await store.write('quanto custa?', { secondsAgo: 2 });
    expect(await store.drain()).toMatchObject({ reason: 'sent' });
    await store.write('e a barba?');
    expect(await store.drain()).toMatchObject({ reason: 'handed_over (budget_reached)' });
    const used = { tokens: 120, most_tokens: 20_100 };
    expect(await told(store)).toMatchObject([{ data: { percent: 100, limit: 'tokens', ...used } }]);
    expect(await store.budget()).toMatchObject({ ...used, reached_at: expect.any(String) });
    expect((await limit(null)).budget).toMatchObject({ most_tokens: null, reached_at: null });
    await store.write('e a barba?');
    expect(await store.drain()).toMatchObject({ reason: 'sent' });
  });

  test('80 percent is told: of the money when a call has ended, and of the calls when one is made', async () => {
    const store = await open('warned', 0.07, untold, { writes });
    await store.write('quanto custa?', { secondsAgo: 2 });
    expect(await store.drain()).toMatchObject({ reason: 'sent' });
    expect(await told(store)).toMatchObject([{ data: { percent: 80, limit: 'money', calls: 1, spent: 0.05696 } }]);
    await assistant.rpc.call(switchStoreAi, { body: { most_spent: 1, most_calls: 2 } }, store.context());
    expect(await told(store)).toHaveLength(1);
    await store.write('e a barba?');
    expect(await store.drain()).toMatchObject({ reason: 'sent' });
    expect((await told(store)).slice(1)).toMatchObject([{ data: { percent: 80, limit: 'calls', calls: 2 } }]);
  });

  test('a call whose process died counts once: as failed, with the most that it may have cost', async () => {
    const { signal } = new AbortController();
    const countDied = () => countDiedCalls({ ...assistant, prices }, signal);
    let storeId = '';
    // The process stands still until its call counts as dead. Its own count, which comes later, must change nothing.
    const after = async () => {
      await countDied();
      expect((await usage(storeId)).data).toEqual([]);
      await assistant.adminSql`
        update model_calls set expires_at = now() - interval '1 second' where store_id = ${storeId}`;
      await Promise.all([countDied(), countDied()]);
    };
    const store = await open('died', 0.07, { writes, after });
    storeId = store.storeId;
    await store.write('quanto custa?', { secondsAgo: 1 });
    expect(await store.drain()).toMatchObject({ reason: 'sent' });
    const { data } = await usage(storeId);
    const counted = { calls: 1, failed_calls: 1, input_tokens: 0, output_tokens: 0, cost: 0.05696 };
    expect(data).toMatchObject([{ ...counted, model: 'openai_compatible/qwen3:8b' }]);
    expect(await store.budget()).toMatchObject({ calls: 1, spent: 0.05696 });
    expect(await told(store)).toMatchObject([{ data: { percent: 80, limit: 'money', spent: 0.05696 } }]);
    expect((await store.turns())[0]).toMatchObject({ cost_micros: '56960', input_tokens: null });
    expect(await assistant.adminSql`select 1 from model_calls where store_id = ${storeId}`).toHaveLength(0);
  });

  test('is told once a day and again after a change of the limits, and has room as soon as money comes back', async () => {
    const store = await open('told', 0.06, { writes });
    const reached = async () => (await budgetGauges(assistant.systemDatabase).read())[0]?.value ?? 0;
    const before = await reached();
    const limits = { mostCalls: 500, mostMicros: 60_000, mostTokens: null };
    const reserve = () =>
      assistant.adminSql.begin((sql) =>
        reserveCall(sql as never, store.storeId, limits, {
          ...{
            id: randomUUID(),
            agentId: randomUUID(),
            model: 'openai_compatible/qwen3:8b',
            micros: 56_960,
            tokens: 0,
          },
        }),
      );
    const running = await reserve();
    for (const text of ['quanto custa?', 'e a barba?']) {
      await store.write(text, { secondsAgo: 1 });
      expect(await store.drain()).toMatchObject({ reason: 'handed_over (budget_reached)' });
    }
    const spent = { calls: 1, most_calls: 500, spent: 0.05696, most_spent: 0.06, currency: 'XTS' };
    expect(await told(store)).toMatchObject([
      { data: { percent: 100, limit: 'money', day: expect.any(String), ...spent } },
    ]);
    expect((await store.budget()).reached_at).not.toBeNull();
    expect(await reached()).toBe(before + 1);
    await assistant.adminSql.begin((sql) =>
      settleCall(sql as never, store.storeId, running as never, { micros: 300, tokens: 0 }),
    );
    expect(await store.budget()).toMatchObject({ spent: 0.0003, reached_at: null });
    expect(await reached()).toBe(before);
    await store.write('e agora?');
    expect(await store.drain()).toMatchObject({ reason: 'sent' });
    expect(await told(store)).toHaveLength(1);
    await assistant.rpc.call(switchStoreAi, { body: { most_calls: 2 } }, store.context());
    await store.write('e depois?');
    expect(await store.drain()).toMatchObject({ reason: 'handed_over (budget_reached)' });
    expect(await told(store)).toHaveLength(2);
  });

  test('is not exceeded by calls that are made at once', async () => {
    const storeId = randomUUID();
    const limits = { mostCalls: 100, mostMicros: 350, mostTokens: null };
    const reserve = () => {
      const call = { id: randomUUID(), agentId: randomUUID(), model: 'demo', micros: 100, tokens: 0 };
      return assistant.adminSql.begin((sql) => reserveCall(sql as never, storeId, limits, call));
    };
    const reserved = await Promise.all(Array.from({ length: 10 }, reserve));
    expect(reserved.filter(Boolean)).toHaveLength(3);
  });
});
