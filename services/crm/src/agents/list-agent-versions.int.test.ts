import { randomUUID } from 'node:crypto';
import { createAgent, listAgentVersions, type RequestOf, updateAgent } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const told = { instructions: 'Sell.', tone: 'brief', language: 'pt-BR', disclosure: false, handover_when: 'Anger.' };
const create = (storeId: string, more = {}) =>
  crm.rpc.call(createAgent, { body: { name: 'Vendas', priority: 1, ...more } }, testContext({ storeId }));
const update = (storeId: string, agentId: string, body: RequestOf<typeof updateAgent>['body']) =>
  crm.rpc.call(updateAgent, { params: { agentId }, body }, testContext({ storeId }));
const list = (storeId: string, agentId: string, query = {}) =>
  crm.rpc.call(listAgentVersions, { params: { agentId }, query }, testContext({ storeId }));

test('each change of what an agent is told makes a version, and the earlier ones stay readable', async () => {
  const storeId = randomUUID();
  const made = await create(storeId, told);
  expect(made).toMatchObject({ ...told, version: 1 });
  const second = await update(storeId, made.id, { instructions: 'Sell more.', name: 'Outro' });
  expect(second).toMatchObject({ ...told, instructions: 'Sell more.', version: 2 });
  const third = await update(storeId, made.id, { disclosure: true, handover_when: null });
  const versions = await list(storeId, made.id);
  const replaced_at = expect.stringMatching(/Z$/);
  expect(versions).toMatchObject({ total: 3, page: 1 });
  expect(versions.data).toEqual([
    { ...told, instructions: 'Sell more.', disclosure: true, handover_when: null, version: 3, replaced_at: null },
    { ...told, instructions: 'Sell more.', version: 2, replaced_at },
    { ...told, version: 1, replaced_at },
  ]);
  expect(third.version).toBe(3);
});

test('no other change makes a version, and neither does one that changes nothing', async () => {
  const storeId = randomUUID();
  const { id } = await create(storeId, told);
  await update(storeId, id, { name: 'Outro', priority: 7, is_active: false, voice_id: 'v', condition_groups: [] });
  expect(await update(storeId, id, told)).toMatchObject({ version: 1 });
  expect((await list(storeId, id)).data).toEqual([{ ...told, version: 1, replaced_at: null }]);
});

test('ten changes at once make ten versions, each with its own number', async () => {
  const storeId = randomUUID();
  const { id } = await create(storeId);
  const tones = Array.from({ length: 10 }, (_, index) => `tone ${index}`);
  await Promise.all(tones.map((tone) => update(storeId, id, { tone })));
  const { data } = await list(storeId, id);
  expect(data.map(({ version }) => version)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(new Set(data.map(({ tone }) => tone))).toEqual(new Set([...tones, null]));
});

test('a walk along the cursor meets each version once', async () => {
  const storeId = randomUUID();
  const { id } = await create(storeId);
  for (const tone of ['a', 'b', 'c']) await update(storeId, id, { tone });
  const page = async (query: object) => {
    const request = { params: { agentId: id }, query: { limit: 3, ...query } };
    const { headers, body } = await crm.rpc.forward(listAgentVersions, request, testContext({ storeId }));
    const versions = JSON.parse(Buffer.from(body).toString()).data.map(({ version }: { version: number }) => version);
    return [versions, headers.nextCursor];
  };
  const [first, cursor] = await page({});
  await update(storeId, id, { tone: 'd' });
  expect([first, await page({ cursor })]).toEqual([
    [4, 3, 2],
    [[1], undefined],
  ]);
});

test('the versions of another store’s agent are not found', async () => {
  const { id } = await create(randomUUID());
  await expect(list(randomUUID(), id)).rejects.toMatchObject({ code: 'agent_not_found' });
  expect(await crm.adminSql`select 1 from agent_versions where agent_id = ${id}`).toEqual([]);
});
