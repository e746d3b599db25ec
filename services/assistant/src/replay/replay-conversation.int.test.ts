import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectModel, type RequestOf, replayConversation, updateAssistantSettings } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { passage, startAssistant, type TestAssistant } from '../../test/assistant.ts';
import { hourIn } from '../../test/zone.ts';

let assistant: TestAssistant;
beforeAll(async () => {
  assistant = await startAssistant();
});
afterAll(() => assistant?.stop());

type TestStore = Awaited<ReturnType<TestAssistant['openStore']>>;
type Body = RequestOf<typeof replayConversation>['body'];

const tomorrow = (hour: number) => hourIn(1, hour);

/** A lead who asked for a time, accepted one, and asked for a price. */
async function openTalked(): Promise<TestStore> {
  const store = await assistant.openStore({ ai_quiet_seconds: 0 });
  Object.assign(store.world, { books: true, free: [tomorrow(9), tomorrow(10), tomorrow(15)] });
  store.world.passages = [passage('Preços', 'Corte: R$ 60.')];
  const texts = ['quero marcar um horário amanhã', 'pode ser às 10', 'quanto custa o corte?'];
  for (const [place, text] of texts.entries()) {
    const { received_at } = await store.write(text, { secondsAgo: 30 - 10 * place });
    await store.drain();
    store.deliver();
    // The answer came after what it answers, and before what comes next.
    const sent_at = new Date(Date.parse(received_at) + 1000).toISOString();
    Object.assign(store.world.messages.at(-1) as object, { created_at: sent_at, sent_at });
  }
  return store;
}

const replay = (
  { storeId, leadId }: TestStore,
  body: Partial<Body> = {},
  { timeoutMs }: { readonly timeoutMs?: number } = {},
) =>
  assistant.rpc.call(
    replayConversation,
    { body: { lead_id: leadId, agent: { name: 'Bia' }, ...body } },
    testContext({ storeId, ...(timeoutMs && { timeoutMs }) }),
  );

/** The rows of a store that a replay must leave as they are. */
const rowsOf = ({ storeId, world }: TestStore) =>
  Promise.all([
    assistant.adminSql`select * from ai_turns where store_id = ${storeId} order by id`,
    assistant.adminSql`select * from ai_steps where store_id = ${storeId} order by turn_id, n, call`,
    assistant.adminSql`select * from ai_offers where store_id = ${storeId} order by id`,
    assistant.adminSql`select count(*) from outbox where store_id = ${storeId}`,
    structuredClone([world.accepted, world.appointments, world.followups, world.effects, world.lead]),
  ]);

test('a replay shows each turn beside what the changed agent does, and changes nothing', async () => {
  const store = await openTalked();
  const before = await rowsOf(store);
  const { data, next } = await replay(store);
  expect(await rowsOf(store)).toEqual(before);
  expect(next).toBeNull();
  expect(data.map(({ text, before: { action }, after, differs }) => [text, action, after.action, differs])).toEqual([
    ['quero marcar um horário amanhã', 'reply', 'reply', true],
    ['pode ser às 10', 'use_tools', 'use_tools', false],
    ['quanto custa o corte?', 'reply', 'reply', false],
  ]);
  const [asked, accepted, price] = data;
  // It says another name, and has found the same times.
  expect(asked?.after.text).toBe(asked?.before.text?.replace('aqui é Ana', 'aqui é Bia'));
  expect(asked?.after.tools).toEqual(asked?.before.tools);
  expect(accepted?.after).toMatchObject({ text: null, tools: [{ tool: 'book' }] });
  expect(price?.after).toMatchObject({ passages: ['Preços'], model: 'demo', reason: null });
});

test('a changed agent has its own tools', async () => {
  const store = await openTalked();
  const { data } = await replay(store, { agent: { tools: ['find_times'] } });
  expect(data.map(({ before, after }) => [before, after].map(({ tools }) => tools.map(({ tool }) => tool)))).toEqual([
    [['find_times'], ['find_times']],
    [['book'], []],
    [[], []],
  ]);
});

test('a replay goes on where the one before ended', async () => {
  const store = await openTalked();
  const first = await replay(store, { turns: 2 });
  expect(first.data).toHaveLength(2);
  expect(first.next).toBe(first.data[1]?.turn_id);
  const rest = await replay(store, { after: first.next as string });
  expect(rest).toMatchObject({ data: [{ text: 'quanto custa o corte?' }], next: null });
});

test('a turn that may not end in time is left to the next request', async () => {
  const store = await openTalked();
  const { data, next } = await replay(store, {}, { timeoutMs: 3_900 });
  expect(data).toHaveLength(1);
  expect(next).toBe(data[0]?.turn_id);
});

test('a call that is cut off is not the failure of the model', async () => {
  const store = await openTalked();
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const body = { provider: 'openai_compatible', url, model: 'm' } as const;
  await assistant.rpc.call(connectModel, { body }, testContext({ storeId: store.storeId }));
  await expect(replay(store, {}, { timeoutMs: 1_500 })).rejects.toMatchObject({ code: 'upstream_timeout' });
});

test('each call counts in the usage and in the budget, and what was replayed before its end is kept', async () => {
  const store = await openTalked();
  const callsOf = async () => {
    const [row] = await assistant.adminSql`select calls from model_usage where store_id = ${store.storeId}`;
    return row?.calls as number;
  };
  const used = await callsOf();
  const context = testContext({ storeId: store.storeId });
  // The first turn needs two calls.
  await assistant.rpc.call(updateAssistantSettings, { body: { ai_daily_calls: Number(used) + 2 } }, context);
  const { data, next } = await replay(store);
  expect(data).toHaveLength(1);
  expect(next).toBe(data[0]?.turn_id);
  expect(Number(await callsOf())).toBe(Number(used) + 2);
  await expect(replay(store)).rejects.toMatchObject({ code: 'ai_budget_reached' });
});

describe('a replay is refused', () => {
  test('when it goes on after a turn of another lead', async () => {
    const [store, other] = [await openTalked(), await openTalked()];
    const [turn] = await other.turns();
    await expect(replay(store, { after: turn?.id })).rejects.toMatchObject({ code: 'validation_failed' });
  });

  test('for an unknown lead, without an agent, and without a model', async () => {
    const store = await assistant.openStore({}, []);
    await expect(replay(store)).rejects.toMatchObject({ code: 'model_not_connected' });
    store.world.agent = null;
    await expect(replay(store)).rejects.toMatchObject({ code: 'agent_not_found' });
    store.world.lead = undefined;
    await expect(replay(store)).rejects.toMatchObject({ code: 'lead_not_found' });
  });
});

test('a model that gives no answer fails the turn, and not the replay', async () => {
  const store = await openTalked();
  const body = { provider: 'openai_compatible', url: 'http://127.0.0.1:9/v1', model: 'm' } as const;
  await assistant.rpc.call(connectModel, { body }, testContext({ storeId: store.storeId }));
  const { data } = await replay(store, { turns: 1 });
  expect(data).toMatchObject([
    { after: { action: 'failed', reason: 'unavailable', model: 'openai_compatible/m' }, differs: true },
  ]);
});
