import { randomUUID } from 'node:crypto';
import { createLead, createSeller, getLead } from '@mostrador/contracts';
import type { AppError } from '@mostrador/kit/rpc/errors';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const maria = { name: 'Maria', customer_phone: '5511900000001' };
const create = (storeId: string, body: object = maria) =>
  crm.rpc.call(createLead, { body: { ...maria, ...body } }, testContext({ storeId }));

test('a new lead has defaults for omitted members, and can be read back', async () => {
  const storeId = randomUUID();
  const lead = await create(storeId);
  expect(lead).toEqual({
    id: expect.any(String),
    store_id: storeId,
    ...maria,
    status: 'pending',
    seller_id: null,
    channel_user_id: null,
    username: null,
    previous_lead_id: null,
    ai_paused_by: null,
    external_id: null,
    email: null,
    tags: [],
    metadata: {},
    interaction_count: 0,
    opted_out_at: null,
    ai_paused_until: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: lead.created_at,
  });
  const params = { leadId: lead.id };
  expect(await crm.rpc.call(getLead, { params }, testContext({ storeId }))).toEqual(lead);
});

test('a new lead has the given status and seller', async () => {
  const storeId = randomUUID();
  const body = { name: 'Ana', whatsapp_id: '5511900000100' };
  const seller = await crm.rpc.call(createSeller, { body }, testContext({ storeId }));
  const lead = await create(storeId, { status: 'in_progress', seller_id: seller.id });
  expect(lead).toMatchObject({ status: 'in_progress', seller_id: seller.id });
});

test('the reply has the version and the count as its ETag', async () => {
  const reply = await crm.rpc.forward(createLead, { body: maria }, testContext());
  expect(reply.headers.etag).toBe('"v1.0"');
});

test('the outbox has the event when the lead exists, and the event has no personal data', async () => {
  const storeId = randomUUID();
  const lead = await create(storeId);
  const rows = await crm.adminSql`select kind, topic, data from outbox where store_id = ${storeId}`;
  expect(rows).toEqual([
    {
      kind: 'event',
      topic: 'crm.lead.created',
      data: { lead_id: lead.id, status: 'pending', seller_id: null },
    },
  ]);
});

test.each([
  ['no name', { name: '  ' }],
  ['a phone with a plus sign', { customer_phone: '+5511900000001' }],
  ['a phone that is too short', { customer_phone: '1234567' }],
  ['an unknown status', { status: 'won' }],
  ['an unknown member', { age: 40 }],
  ['an empty external id', { external_id: ' ' }],
  ['an external id that is too long', { external_id: 'x'.repeat(201) }],
  ['an email that is none', { email: 'maria' }],
  ['an email that is too long', { email: `${'x'.repeat(243)}@example.com` }],
  ['a tag with a comma', { tags: ['a,b'] }],
  ['metadata with a number', { metadata: { age: 40 } }],
  ['metadata that is a text', { metadata: 'x' }],
  ['metadata with the character NUL', { metadata: { a: '\0' } }],
])('%s is rejected', async (_, body) => {
  await expect(create(randomUUID(), body)).rejects.toMatchObject({ code: 'validation_failed' });
});

test('a store has at most one lead for a phone, and the error names that lead', async () => {
  const storeId = randomUUID();
  const lead = await create(storeId);
  await expect(create(storeId, { name: 'Maria again' })).rejects.toMatchObject({
    code: 'lead_exists',
    members: { id: lead.id },
  });
});

test('two stores may have a lead with the same phone', async () => {
  const [one, other] = await Promise.all([create(randomUUID()), create(randomUUID())]);
  expect(one.id).not.toBe(other.id);
});

test('of fifty concurrent requests with one phone one creates the lead, and the other errors name it', async () => {
  const storeId = randomUUID();
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => create(storeId)));
  const made = results.filter((result) => result.status === 'fulfilled').map((result) => result.value);
  const refused = results.filter((result) => result.status === 'rejected').map((result) => result.reason as AppError);
  expect(made).toHaveLength(1);
  expect(new Set(refused.map(({ code, members }) => `${code} ${members?.id}`))).toEqual(
    new Set([`lead_exists ${made[0]?.id}`]),
  );
});

test('of fifty concurrent requests with one key one creates the lead, and the others get its reply', async () => {
  const storeId = randomUUID();
  const context = testContext({ storeId, idempotencyKey: 'k', idempotencyScope: 'POST /leads', body: maria });
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => crm.rpc.forward(createLead, { body: maria }, context)),
  );
  expect(new Set(replies.map(({ body }) => Buffer.from(body).toString()))).toHaveProperty('size', 1);
  expect(replies.filter(({ headers }) => headers.replayed)).toHaveLength(49);
  expect(new Set(replies.map(({ headers }) => headers.etag))).toEqual(new Set(['"v1.0"']));
  const counts = await crm.adminSql`
    select (select count(*)::int from leads where store_id = ${storeId}) as leads,
           (select count(*)::int from outbox where store_id = ${storeId}) as events`;
  expect(counts).toEqual([{ leads: 1, events: 1 }]);
  expect(await crm.feed(storeId)).toHaveLength(1);
});

test('the feed has the lead as the API shows it, and nothing of a request that was rejected', async () => {
  const storeId = randomUUID();
  const lead = await create(storeId, { email: 'maria@example.com', tags: ['vip'] });
  await expect(create(storeId)).rejects.toMatchObject({ code: 'lead_exists' });
  const ids = { lead_id: lead.id, status: 'pending', seller_id: null };
  expect(await crm.feed(storeId)).toEqual([
    { type: 'lead.created', entity_id: lead.id, data: { ...ids, object: lead } },
  ]);
});

test('a rejected request leaves no idempotency record, so that a corrected request can use its key', async () => {
  const storeId = randomUUID();
  const wrong = { ...maria, seller_id: randomUUID() };
  const keyed = (body: object) => testContext({ storeId, idempotencyKey: 'k', idempotencyScope: 'POST /leads', body });
  await expect(crm.rpc.call(createLead, { body: wrong }, keyed(wrong))).rejects.toMatchObject({
    code: 'seller_not_found',
  });
  await crm.rpc.call(createLead, { body: maria }, keyed(maria));
});

test('a seller of another store is not found', async () => {
  const body = { name: 'Ana', whatsapp_id: '5511900000100' };
  const seller = await crm.rpc.call(createSeller, { body }, testContext());
  await expect(create(randomUUID(), { seller_id: seller.id })).rejects.toMatchObject({ code: 'seller_not_found' });
});

test('an inactive seller is rejected', async () => {
  const storeId = randomUUID();
  const body = { name: 'Ana', whatsapp_id: '5511900000100', is_active: false };
  const seller = await crm.rpc.call(createSeller, { body }, testContext({ storeId }));
  await expect(create(storeId, { seller_id: seller.id })).rejects.toMatchObject({ code: 'seller_inactive' });
});

test('a lead is never assigned to a seller who is being deactivated at that moment', async () => {
  const storeId = randomUUID();
  const body = { name: 'Ana', whatsapp_id: '5511900000100' };
  const seller = await crm.rpc.call(createSeller, { body }, testContext({ storeId }));
  const outcome = await crm.adminSql.begin(async (sql) => {
    await sql`update sellers set is_active = false where id = ${seller.id}`;
    const creating = create(storeId, { seller_id: seller.id }).catch((error: unknown) => error);
    await waitFor(
      async () => {
        const blocked = await crm.adminSql`
          select 1 from pg_stat_activity
          where datname = current_database() and usename = 'crm' and wait_event_type = 'Lock'`;
        return blocked.length > 0;
      },
      { description: 'the lead to wait for the seller' },
    );
    return { creating };
  });
  expect(await outcome.creating).toMatchObject({ code: 'seller_inactive' });
});

const known = {
  external_id: ' ERP-1 ',
  email: ' Maria@Example.com ',
  tags: ['vip', ' ótica ', 'vip'],
  metadata: { plan: 'gold', 'two\nlines': 'x', note: ' as sent ', 'ünï "\\': '\u0001', constructor: 'x' },
};

test('a new lead has the external id, email, tags and metadata that the store gave it', async () => {
  const storeId = randomUUID();
  const lead = await create(storeId, known);
  expect(lead).toMatchObject({
    external_id: 'ERP-1',
    email: 'Maria@Example.com',
    tags: ['vip', 'ótica'],
    metadata: known.metadata,
  });
  expect(await crm.rpc.call(getLead, { params: { leadId: lead.id } }, testContext({ storeId }))).toEqual(lead);
});

test('null and empty values are none', async () => {
  const nothing = { external_id: null, email: null, tags: null, metadata: null };
  const storeId = randomUUID();
  const lead = await create(storeId, nothing);
  expect(lead).toMatchObject({ ...nothing, tags: [], metadata: {} });
  const body = { customer_phone: '5511900000002', metadata: { a: '', b: null, c: 'x' } };
  expect((await create(storeId, body)).metadata).toEqual({ c: 'x' });
});

test('an external id belongs to one lead of a store, and the error names that lead without the id itself', async () => {
  const storeId = randomUUID();
  const { id } = await create(storeId, known);
  const other = { ...known, customer_phone: '5511900000002' };
  const refused = await create(storeId, other).catch((error: AppError) => error);
  expect(refused).toMatchObject({ code: 'external_id_exists', members: { id } });
  expect(JSON.stringify(refused)).not.toContain('ERP');
  // A taken phone is reported first.
  await expect(create(storeId, known)).rejects.toMatchObject({ code: 'lead_exists', members: { id } });
  await create(storeId, { ...other, external_id: 'erp-1' });
  await create(randomUUID(), known);
});

test('of concurrent leads with one external id one is created, and the errors name it', async () => {
  const storeId = randomUUID();
  const answers = await Promise.allSettled(
    Array.from({ length: 10 }, (_, n) => create(storeId, { ...known, customer_phone: String(5511900000000 + n) })),
  );
  const created = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.id : []));
  expect(created).toHaveLength(1);
  for (const answer of answers) {
    if (answer.status === 'rejected')
      expect(answer.reason).toMatchObject({ code: 'external_id_exists', members: { id: created[0] } });
  }
});

test('the event of a lead has nothing of its external id, email, tags and metadata', async () => {
  const storeId = randomUUID();
  await create(storeId, known);
  const [event] = await crm.adminSql`select data from outbox where store_id = ${storeId}`;
  expect(Object.keys(event?.data).sort()).toEqual(['lead_id', 'seller_id', 'status']);
});
