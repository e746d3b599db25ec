import { randomUUID } from 'node:crypto';
import {
  type AgentEval,
  connectModel,
  createAgentEval,
  deleteAgentEval,
  listAgentEvals,
  mostAgentEvals,
  type RequestOf,
  runAgentEvals,
  updateAgentEval,
  updateAssistantSettings,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agent, passage, startAssistant, type TestAssistant } from '../../test/assistant.ts';
import { hourIn } from '../../test/zone.ts';

let assistant: TestAssistant;
beforeAll(async () => {
  assistant = await startAssistant();
});
afterAll(() => assistant?.stop());

type TestStore = Awaited<ReturnType<TestAssistant['openStore']>>;
type Body = RequestOf<typeof createAgentEval>['body'];

const agentId = agent.id;
const params = { agentId };

async function openStore(): Promise<TestStore> {
  const store = await assistant.openStore();
  Object.assign(store.world, { books: true, free: [hourIn(1, 9), hourIn(1, 10)] });
  store.world.passages = [passage('Preços', 'Corte: R$ 60.')];
  return store;
}

const price: Body = {
  text: 'quanto custa o corte?',
  expects: [
    { type: 'from_document', value: 'Preços' },
    { type: 'contains', value: 'r$ 60' },
  ],
};
const times: Body = { text: 'quero marcar um horário amanhã', expects: [{ type: 'offers_times' }] };
const person: Body = { text: 'quero falar com uma pessoa', expects: [{ type: 'hands_over' }] };
const wrong: Body = { text: 'quanto custa o corte?', expects: [{ type: 'contains', value: 'de graça' }] };

const contextOf = ({ storeId }: TestStore, more: Partial<Parameters<typeof testContext>[0]> = {}) =>
  testContext({ storeId, ...more });
const create = (store: TestStore, body: Body) =>
  assistant.rpc.call(createAgentEval, { params, body }, contextOf(store));
const list = (store: TestStore) => assistant.rpc.call(listAgentEvals, { params }, contextOf(store));
const run = (
  store: TestStore,
  body: RequestOf<typeof runAgentEvals>['body'] = {},
  more: { readonly timeoutMs?: number } = {},
) => assistant.rpc.call(runAgentEvals, { params, body }, contextOf(store, more));
const update = (store: TestStore, evalId: string, body: RequestOf<typeof updateAgentEval>['body']) =>
  assistant.rpc.call(updateAgentEval, { params: { agentId, evalId }, body }, contextOf(store));
const remove = (store: TestStore, evalId: string) =>
  assistant.rpc.call(deleteAgentEval, { params: { agentId, evalId } }, contextOf(store));

const heldOf = (evals: readonly AgentEval[]) => evals.map(({ result }) => result?.holds);

test('a run says which evals hold, and what was answered, and changes nothing else', async () => {
  const store = await openStore();
  for (const body of [price, times, person, wrong]) await create(store, body);
  const rowsOf = () =>
    Promise.all([
      assistant.adminSql`select count(*) from ai_turns where store_id = ${store.storeId}`,
      assistant.adminSql`select count(*) from ai_offers where store_id = ${store.storeId}`,
      assistant.adminSql`select count(*) from outbox where store_id = ${store.storeId}`,
      structuredClone([store.world.accepted, store.world.appointments, store.world.followups, store.world.effects]),
    ]);
  const before = await rowsOf();
  const { run: ran, data } = await run(store);
  expect(await rowsOf()).toEqual(before);
  expect(ran).toMatchObject({ held: 3, failed: 1, waiting: 0, agent_version: 1, is_draft: false });
  expect(heldOf(data)).toEqual([true, true, true, false]);
  expect(data[0]?.result).toMatchObject({
    expects: [
      { type: 'from_document', value: 'Preços', holds: true },
      { type: 'contains', value: 'r$ 60', holds: true },
    ],
    answer: { action: 'reply', passages: ['Preços'], offers_times: false, model: 'demo' },
  });
  expect(data[1]?.result?.answer).toMatchObject({ action: 'reply', offers_times: true });
  expect(data[2]?.result?.answer.action).toBe('hand_over');
  expect(await list(store)).toEqual({ data, run: ran });
});

test('a changed agent is asked, and the run keeps what was asked', async () => {
  const store = await openStore();
  await create(store, { text: 'oi, quanto custa o corte?', expects: [{ type: 'contains', value: 'aqui é Bia' }] });
  expect((await run(store)).run).toMatchObject({ held: 0, failed: 1, is_draft: false, agent: { name: 'Ana' } });
  const changed = await run(store, { agent: { name: 'Bia' } });
  expect(changed.run).toMatchObject({ held: 1, failed: 0, is_draft: true, agent: { name: 'Bia', tools: agent.tools } });
  // The same members as the saved agent has are no change.
  expect((await run(store, { agent: { name: 'Ana' } })).run.is_draft).toBe(false);
});

test('an eval has what was said before, and then no one introduces itself again', async () => {
  const store = await openStore();
  const conversation: Body['conversation'] = [
    { from: 'lead', text: 'quanto custa o corte?' },
    { from: 'store', text: 'O corte custa R$ 60.' },
  ];
  await create(store, { text: 'e a barba?', conversation, expects: [{ type: 'not_contains', value: 'aqui é Ana' }] });
  store.world.model = (request) => {
    expect(request).toMatchObject({ text: 'e a barba?', conversation, isFirst: false });
    return { action: 'reply', text: 'A barba não está na lista.', usedPassages: [] };
  };
  expect((await run(store)).run).toMatchObject({ held: 1, failed: 0 });
});

test('a run goes on where its request before ended, with the same agent', async () => {
  const store = await openStore();
  for (const body of [price, times, person]) await create(store, body);
  const first = await run(store, { agent: { name: 'Bia' }, evals: 2 });
  expect(first.data).toHaveLength(2);
  expect(first.run).toMatchObject({ held: 2, waiting: 1 });
  const rest = await run(store, { run_id: first.run.id });
  expect(rest.data).toHaveLength(1);
  expect(rest.run).toEqual({ ...first.run, held: 3, waiting: 0 });
  // A new run asks all again.
  expect((await run(store, { evals: 1 })).run).toMatchObject({ held: 1, waiting: 2 });
  await expect(run(store, { run_id: first.run.id })).rejects.toMatchObject({ code: 'agent_eval_run_not_found' });
});

test('what was asked before the time or the budget ends is kept', async () => {
  const store = await openStore();
  for (const body of [price, person]) await create(store, body);
  expect((await run(store, {}, { timeoutMs: 3_900 })).run).toMatchObject({ held: 1, waiting: 1 });
  const [row] = await assistant.adminSql`select calls from model_usage where store_id = ${store.storeId}`;
  const limit = { body: { ai_daily_calls: Number(row?.calls) + 1 } };
  await assistant.rpc.call(updateAssistantSettings, limit, contextOf(store));
  const last = await run(store);
  expect(last.run).toMatchObject({ held: 1, waiting: 1 });
  await expect(run(store)).rejects.toMatchObject({ code: 'ai_budget_reached' });
  // The run that could not begin leaves the one before.
  expect((await list(store)).run).toEqual(last.run);
});

test('a model that gives no answer fails the eval, and not the run', async () => {
  const store = await openStore();
  await create(store, { text: 'oi', expects: [{ type: 'not_contains', value: 'preço' }] });
  const body = { provider: 'openai_compatible', url: 'http://127.0.0.1:9/v1', model: 'm' } as const;
  await assistant.rpc.call(connectModel, { body }, contextOf(store));
  const { run: ran, data } = await run(store);
  expect(ran).toMatchObject({ held: 0, failed: 1 });
  expect(data[0]?.result?.answer).toMatchObject({ action: 'failed', reason: 'unavailable' });
});

test('a change of an eval removes its result, also while a run asks about it', async () => {
  const store = await openStore();
  const { id } = await create(store, price);
  await run(store);
  const changed = await update(store, id, { expects: [{ type: 'hands_over' }] });
  expect(changed).toMatchObject({ text: price.text, expects: [{ type: 'hands_over' }], result: null });
  expect((await list(store)).run).toMatchObject({ held: 0, failed: 0, waiting: 1 });
  store.world.thinking = async () => {
    store.world.thinking = async () => {};
    await update(store, id, { text: 'oi' });
  };
  expect(await run(store)).toMatchObject({ run: { held: 0, failed: 0, waiting: 1 }, data: [{ result: null }] });
});

test('a deleted eval is gone', async () => {
  const store = await openStore();
  const { id } = await create(store, price);
  expect(await remove(store, id)).toEqual({ deleted: true, id });
  expect(await list(store)).toEqual({ data: [], run: null });
  await expect(remove(store, id)).rejects.toMatchObject({ code: 'agent_eval_not_found' });
});

test('an agent has at most 50 evals, also when several are created at once', async () => {
  const store = await openStore();
  for (let made = 0; made < mostAgentEvals - 1; made += 1) await create(store, person);
  const both = await Promise.allSettled([create(store, person), create(store, person)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await expect(create(store, person)).rejects.toMatchObject({ code: 'agent_eval_limit' });
  expect((await list(store)).data).toHaveLength(mostAgentEvals);
});

describe('it is refused', () => {
  test('for an agent or an eval of another store', async () => {
    const [store, other] = [await openStore(), await openStore()];
    const { id } = await create(store, price);
    await expect(update(other, id, { text: 'oi' })).rejects.toMatchObject({ code: 'agent_eval_not_found' });
    await expect(remove(other, id)).rejects.toMatchObject({ code: 'agent_eval_not_found' });
    expect((await list(other)).data).toEqual([]);
    other.world.agent = null;
    for (const refused of [() => list(other), () => create(other, price), () => run(other)])
      await expect(refused()).rejects.toMatchObject({ code: 'agent_not_found' });
  });

  test('for an eval of another agent', async () => {
    const store = await openStore();
    const { id } = await create(store, price);
    const elsewhere = { agentId: randomUUID(), evalId: id };
    const asked = assistant.rpc.call(deleteAgentEval, { params: elsewhere }, contextOf(store));
    await expect(asked).rejects.toMatchObject({ code: 'agent_eval_not_found' });
  });

  test('without evals, and without a model', async () => {
    const store = await assistant.openStore({}, []);
    await expect(run(store)).rejects.toMatchObject({ code: 'agent_eval_not_found' });
    await create(store, price);
    await expect(run(store)).rejects.toMatchObject({ code: 'model_not_connected' });
  });

  test('when an expectation lacks its value, or has one that says nothing', async () => {
    const store = await openStore();
    const expects: Body['expects'] = [{ type: 'contains' }, { type: 'hands_over', value: 'now' }];
    await expect(create(store, { text: 'oi', expects })).rejects.toMatchObject({
      code: 'validation_failed',
      members: {
        errors: [
          { pointer: '#/expects/0/value', detail: 'is required for the type `contains`' },
          { pointer: '#/expects/1/value', detail: 'is not for the type `hands_over`' },
        ],
      },
    });
  });

  test('when a run is to go on with another agent', async () => {
    const store = await openStore();
    const refused = run(store, { run_id: randomUUID(), agent: { name: 'Bia' } });
    await expect(refused).rejects.toMatchObject({ code: 'validation_failed' });
  });
});
