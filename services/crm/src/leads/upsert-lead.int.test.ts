import { randomUUID } from 'node:crypto';
import {
  createLead,
  createSeller,
  getLead,
  type Lead,
  type RequestOf,
  updateLead,
  upsertLead,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

type Body = RequestOf<typeof upsertLead>['body'];
const [short, long] = ['553177776666', '5531977776666'];
const known = { external_id: 'c-1', email: 'maria@example.com', tags: ['vip'], metadata: { plan: 'gold' } };

const upsert = async (storeId: string, phone: string, body: Body, options: Parameters<typeof testContext>[0] = {}) => {
  const context = testContext({ storeId, ...options });
  const { body: bytes, headers } = await crm.rpc.forward(upsertLead, { params: { phone }, body }, context);
  const { created, ...lead } = JSON.parse(Buffer.from(bytes).toString()) as Lead & { created: boolean };
  return { created, lead, etag: headers.etag, replayed: headers.replayed };
};
const read = (storeId: string, leadId: string) =>
  crm.rpc.call(getLead, { params: { leadId } }, testContext({ storeId }));
const countOf = async (storeId: string) => (await crm.adminSql`select from leads where store_id = ${storeId}`).length;
const topics = async (storeId: string) =>
  (await crm.adminSql`select topic from outbox where store_id = ${storeId} order by id`).map(({ topic }) => topic);

test('the first request creates the lead, and the same one again changes nothing', async () => {
  const storeId = randomUUID();
  const first = await upsert(storeId, long, { name: 'Maria', ...known });
  expect(first).toMatchObject({ created: true, etag: '"v1.0"', lead: { ...known, status: 'pending' } });
  expect(first.lead.customer_phone).toBe(long);
  expect(await read(storeId, first.lead.id)).toEqual(first.lead);
  expect(await upsert(storeId, long, { name: 'Maria', ...known })).toEqual({ ...first, created: false });
  expect(await topics(storeId)).toEqual(['crm.lead.created']);
});

test('a later request changes the given members alone, and finds the lead by any form of its phone', async () => {
  const storeId = randomUUID();
  const { lead } = await upsert(storeId, long, { name: 'Maria', status: 'converted', ...known });
  const changed = await upsert(storeId, short, { name: 'Maria S.', metadata: { since: '2020' } });
  expect(changed).toMatchObject({ created: false, etag: '"v2.0"' });
  expect(changed.lead).toEqual({
    ...lead,
    name: 'Maria S.',
    metadata: { plan: 'gold', since: '2020' },
    updated_at: expect.any(String),
  });
  expect(changed.lead.updated_at > lead.updated_at).toBe(true);
  expect(await topics(storeId)).toEqual(['crm.lead.created', 'crm.lead.updated']);
  expect((await crm.feed(storeId)).map(({ type, data }) => [type, data.object])).toEqual([
    ['lead.created', lead],
    ['lead.updated', changed.lead],
  ]);
});

test('a lead from before the canonical form is changed, and the one with the very form first', async () => {
  const storeId = randomUUID();
  const add = (phone: string) => crm.adminSql`
    insert into leads (store_id, name, customer_phone) values (${storeId}, 'Before', ${phone}) returning id`;
  const [[first], [second]] = [await add(short), await add(long)];
  expect((await upsert(storeId, short, { name: 'A' })).lead.id).toBe(first?.id);
  expect((await upsert(storeId, long, { name: 'B' })).lead.id).toBe(second?.id);
  expect(await countOf(storeId)).toBe(2);
});

test('twenty concurrent requests in two forms give one lead, which one of them creates', async () => {
  for (let round = 0; round < 5; round += 1) {
    const storeId = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => upsert(storeId, n % 2 === 0 ? long : short, { name: `Maria ${n}` })),
    );
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(answers.map(({ lead }) => lead.id)).size).toBe(1);
    expect(await countOf(storeId)).toBe(1);
    expect(new Set(answers.map(({ etag }) => etag)).size).toBe(20);
  }
});

test('requests beside a creation and a change of the phone give one lead a phone', async () => {
  const storeId = randomUUID();
  const context = () => testContext({ storeId });
  const other = await crm.rpc.call(createLead, { body: { name: 'A', customer_phone: '5511900000001' } }, context());
  await Promise.allSettled([
    upsert(storeId, long, { name: 'Maria' }),
    crm.rpc.call(createLead, { body: { name: 'B', customer_phone: short } }, context()),
    crm.rpc.call(updateLead, { params: { leadId: other.id }, body: { customer_phone: long } }, context()),
    upsert(storeId, short, { name: 'Maria' }),
  ]);
  const phones = await crm.adminSql`select phone_key from leads where store_id = ${storeId}`;
  expect(new Set(phones.map(({ phone_key }) => phone_key)).size).toBe(phones.length);
  expect((await upsert(storeId, long, { name: 'Maria' })).created).toBe(false);
});

test('an external id of another lead is refused, for a new lead and for a known one', async () => {
  const storeId = randomUUID();
  const { lead } = await upsert(storeId, '5511900000001', { name: 'Ana', external_id: 'c-1' });
  const refused = { code: 'external_id_exists', members: { id: lead.id } };
  await expect(upsert(storeId, long, { name: 'Maria', external_id: 'c-1' })).rejects.toMatchObject(refused);
  expect(await countOf(storeId)).toBe(1);
  await upsert(storeId, long, { name: 'Maria' });
  await expect(upsert(storeId, long, { name: 'x', external_id: 'c-1' })).rejects.toMatchObject(refused);
  expect((await upsert(storeId, long, { name: 'Maria' })).etag).toBe('"v1.0"');
});

test('a seller must be active, and of the store', async () => {
  const storeId = randomUUID();
  const seller = await crm.rpc.call(
    createSeller,
    { body: { name: 'Rui', whatsapp_id: '5511900000100', is_active: false } },
    testContext({ storeId }),
  );
  const give = (seller_id: string) => upsert(storeId, long, { name: 'Maria', seller_id });
  await expect(give(seller.id)).rejects.toMatchObject({ code: 'seller_inactive' });
  await expect(give(randomUUID())).rejects.toMatchObject({ code: 'seller_not_found' });
  expect(await countOf(storeId)).toBe(0);
});

test('with If-Match only the current version of an existing lead is changed', async () => {
  const storeId = randomUUID();
  const mismatch = { code: 'version_mismatch' };
  for (const ifMatch of ['"v1"', '*']) {
    await expect(upsert(storeId, long, { name: 'Maria' }, { ifMatch })).rejects.toMatchObject(mismatch);
  }
  await upsert(storeId, long, { name: 'Maria' });
  expect((await upsert(storeId, long, { name: 'Ana' }, { ifMatch: '"v1"' })).etag).toBe('"v2.0"');
  await expect(upsert(storeId, long, { name: 'Eva' }, { ifMatch: '"v1"' })).rejects.toMatchObject(mismatch);
});

test('with If-None-Match: * a lead is only created, and an existing one stays as it is and is named', async () => {
  const storeId = randomUUID();
  const ifNoneMatch = '*';
  const body = { name: 'Maria' };
  const key = { body, idempotencyKey: 'k', idempotencyScope: `PUT /leads/by-phone/${long}` };
  const first = await upsert(storeId, long, body, { ifNoneMatch, ...key });
  expect(first).toMatchObject({ created: true, etag: '"v1.0"' });
  // A retry of the request that created it is answered as that one was.
  expect(await upsert(storeId, long, body, { ifNoneMatch, ...key })).toEqual({ ...first, replayed: true });
  for (const phone of [long, short]) {
    const refused = upsert(storeId, phone, { name: 'Eva', tags: [] }, { ifNoneMatch });
    await expect(refused).rejects.toMatchObject({ code: 'version_mismatch', members: { id: first.lead.id } });
  }
  expect(await read(storeId, first.lead.id)).toEqual(first.lead);
  expect(await topics(storeId)).toEqual(['crm.lead.created']);
});

test('of twenty concurrent requests with If-None-Match: * one creates the lead, and the others name it', async () => {
  const storeId = randomUUID();
  const asked = Array.from({ length: 20 }, (_, n) =>
    upsert(storeId, n % 2 === 0 ? long : short, { name: `Maria ${n}` }, { ifNoneMatch: '*' }),
  );
  const answers = await Promise.allSettled(asked);
  const created = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  expect(created).toMatchObject([{ created: true, etag: '"v1.0"' }]);
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  expect(new Set(refused.map(({ code, members }) => `${code} ${members?.id}`))).toEqual(
    new Set([`version_mismatch ${created[0]?.lead.id}`]),
  );
  expect(await countOf(storeId)).toBe(1);
});

test('without a name an existing lead keeps its name, and a new one is not created', async () => {
  const storeId = randomUUID();
  for (const body of [{}, { email: 'maria@example.com' }]) {
    await expect(upsert(storeId, long, body)).rejects.toMatchObject({
      code: 'validation_failed',
      detail: '#/name is required to create the lead.',
      members: { errors: [{ pointer: '#/name', detail: 'is required to create the lead' }] },
    });
  }
  expect(await countOf(storeId)).toBe(0);
  const { lead } = await upsert(storeId, long, { name: 'Maria' });
  expect(await upsert(storeId, short, {})).toMatchObject({ created: false, etag: '"v1.0"', lead });
  expect((await upsert(storeId, long, { status: 'converted' })).lead).toMatchObject({
    name: 'Maria',
    status: 'converted',
  });
  await expect(upsert(storeId, long, { name: '' })).rejects.toMatchObject({ code: 'validation_failed' });
});

test('a repeated request with a key gets the first answer, and still says that the lead was created', async () => {
  const storeId = randomUUID();
  const body = { name: 'Maria' };
  const keyed = () =>
    upsert(storeId, long, body, { body, idempotencyKey: 'k', idempotencyScope: `PUT /leads/by-phone/${long}` });
  const first = await keyed();
  await upsert(storeId, long, { name: 'Ana' });
  expect(await keyed()).toEqual({ ...first, replayed: true });
  expect((await read(storeId, first.lead.id)).name).toBe('Ana');
});

test.each<[string, string, object]>([
  ['a phone that is too short', '1234567', { name: 'Maria' }],
  ['a phone that the gateway has not read', '+55 31 97777-6666', { name: 'Maria' }],
  ['a phone in the body', long, { name: 'Maria', customer_phone: long }],
  ['a status that is none', long, { name: 'Maria', status: 'won' }],
  ['an email that is none', long, { name: 'Maria', email: 'maria' }],
])('%s is rejected', async (_, phone, body) => {
  const storeId = randomUUID();
  await expect(upsert(storeId, phone, body as Body)).rejects.toMatchObject({ code: 'validation_failed' });
  expect(await countOf(storeId)).toBe(0);
});

test('a lead of another store with the phone is neither found nor changed', async () => {
  const [mine, theirs] = [randomUUID(), randomUUID()];
  const { lead } = await upsert(theirs, long, { name: 'Maria' });
  expect((await upsert(mine, long, { name: 'Taken over' })).created).toBe(true);
  expect(await read(theirs, lead.id)).toEqual(lead);
});
