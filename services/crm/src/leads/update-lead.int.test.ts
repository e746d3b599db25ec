import { randomUUID } from 'node:crypto';
import {
  changeContactPhone,
  createLead,
  createSeller,
  ensureLead,
  getLead,
  type Lead,
  type RequestOf,
  updateLead,
  updateSeller,
} from '@mostrador/contracts';
import { createRpcServer } from '@mostrador/kit/rpc/server';
import { silentLog, testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

type Body = RequestOf<typeof updateLead>['body'];

const create = (storeId: string, body: object = {}) =>
  crm.rpc.call(
    createLead,
    { body: { name: 'Maria', customer_phone: '5511900000001', ...body } },
    testContext({ storeId }),
  );
const createActiveSeller = (storeId: string) =>
  crm.rpc.call(createSeller, { body: { name: 'Ana', whatsapp_id: '5511900000100' } }, testContext({ storeId }));
const deactivate = (storeId: string, sellerId: string) =>
  crm.rpc.call(updateSeller, { params: { sellerId }, body: { is_active: false } }, testContext({ storeId }));
const patch = async (storeId: string, leadId: string, body: Body, ifMatch?: string) => {
  const context = testContext({ storeId, ifMatch });
  const { body: bytes, headers } = await crm.rpc.forward(updateLead, { params: { leadId }, body }, context);
  return { lead: JSON.parse(Buffer.from(bytes).toString()) as Lead, etag: headers.etag };
};
const read = (storeId: string, leadId: string) =>
  crm.rpc.call(getLead, { params: { leadId } }, testContext({ storeId }));
const events = (storeId: string) => crm.adminSql`
  select topic, data from outbox where store_id = ${storeId} and topic = 'crm.lead.updated' order by id`;
const history = (leadId: string) => crm.adminSql`
  select from_status, to_status, version from lead_status_changes where lead_id = ${leadId} order by version`;

test('a change has no effect after its key was settled, and its answer when it had one', async () => {
  const storeId = randomUUID();
  const { id: leadId } = await create(storeId);
  const change = (key: string, name: string, how: { settles?: true } = {}) => {
    const context = testContext({ storeId, idempotencyKey: key });
    const idempotency = context.idempotency && { ...context.idempotency, ...how };
    return crm.rpc.call(updateLead, { params: { leadId }, body: { name } }, { ...context, idempotency });
  };
  const refused = { code: 'idempotency_key_reused' };
  await expect(change('late', 'Late', { settles: true })).rejects.toMatchObject(refused);
  await expect(change('late', 'Late')).rejects.toMatchObject(refused);
  const changed = await change('made', 'Made');
  expect(await change('made', 'Made', { settles: true })).toEqual(changed);
  expect(await read(storeId, leadId)).toMatchObject({ name: 'Made' });
});

describe('changing', () => {
  test('an update changes only the given members, raises version and updated_at, and writes an event', async () => {
    const storeId = randomUUID();
    const created = await create(storeId);
    const seller = await createActiveSeller(storeId);
    const body = { name: 'Maria Silva', status: 'in_progress', seller_id: seller.id } as const;
    const { lead, etag } = await patch(storeId, created.id, body);
    expect(lead).toEqual({ ...created, ...body, updated_at: expect.any(String) });
    expect(lead.updated_at > created.updated_at).toBe(true);
    expect(etag).toBe('"v2.0"');
    expect(await read(storeId, created.id)).toEqual(lead);
    expect(await events(storeId)).toEqual([
      { topic: 'crm.lead.updated', data: { lead_id: lead.id, status: 'in_progress', seller_id: seller.id } },
    ]);
    await patch(storeId, created.id, body);
    expect((await crm.feed(storeId)).map(({ type, data }) => [type, data.object])).toEqual([
      ['lead.created', created],
      ['seller.created', seller],
      ['lead.updated', lead],
    ]);
  });

  test('an update without a change keeps version and updated_at, and writes no event', async () => {
    const storeId = randomUUID();
    const created = await create(storeId);
    const { lead, etag } = await patch(storeId, created.id, { name: 'Maria', status: 'pending', seller_id: null });
    expect(lead).toEqual(created);
    expect(etag).toBe('"v1.0"');
    expect(await events(storeId)).toEqual([]);
  });

  test('the AI is paused until the given time, with any offset, and null ends the pause', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId);
    const paused = await patch(storeId, id, { ai_paused_until: '2126-11-21T09:00:00-03:00' });
    expect(paused.lead.ai_paused_until).toBe('2126-11-21T12:00:00.000Z');
    expect(paused.etag).toBe('"v2.0p"');
    expect((await read(storeId, id)).ai_paused_until).toBe('2126-11-21T12:00:00.000Z');
    expect((await patch(storeId, id, { ai_paused_until: null })).lead.ai_paused_until).toBeNull();
  });

  test('a pause that is over is null', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId);
    await patch(storeId, id, { ai_paused_until: '2020-01-01T00:00:00Z' });
    expect((await read(storeId, id)).ai_paused_until).toBeNull();
  });

  test('concurrent updates are all made, one after the other', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => patch(storeId, id, { name: `Maria ${n}` })));
    const etags = answers.map(({ etag }) => etag).sort();
    expect(etags).toEqual(Array.from({ length: 10 }, (_, n) => `"v${n + 2}.0"`).sort());
    expect(new Set(answers.map(({ lead }) => lead.updated_at)).size).toBeGreaterThan(1);
  });

  test('an empty update, an invalid value and a read-only member are rejected', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId);
    const wrong = [
      {},
      { name: null },
      { name: ' ' },
      { name: 'x'.repeat(201) },
      { status: 'won' },
      { status: null },
      { seller_id: 'none' },
      { ai_paused_until: 'tomorrow' },
      { customer_phone: '+5511900000002' },
      { customer_phone: null },
      { interaction_count: 1 },
      { external_id: '' },
      { email: 'maria' },
      { tags: [''] },
      { tags: 'vip' },
      { metadata: [] },
      { metadata: { a: 1 } },
    ];
    for (const body of wrong) {
      const refused = patch(storeId, id, body as Body);
      await expect(refused, JSON.stringify(body)).rejects.toMatchObject({ code: 'validation_failed' });
    }
  });

  test('another store’s lead and an unknown lead are not found', async () => {
    const { id } = await create(randomUUID());
    for (const leadId of [id, randomUUID()]) {
      await expect(patch(randomUUID(), leadId, { name: 'x' })).rejects.toMatchObject({ code: 'lead_not_found' });
    }
  });
});

describe('what the store knows of a lead', () => {
  const known = { external_id: 'c-1', email: 'maria@example.com', tags: ['vip', 'new'], metadata: { plan: 'gold' } };
  const tagRows = (leadId: string) => crm.adminSql`select tag from lead_tags where lead_id = ${leadId} order by tag`;

  test('is set, replaced and cleared, and each change raises version and updated_at', async () => {
    const storeId = randomUUID();
    const created = await create(storeId);
    const set = await patch(storeId, created.id, known);
    expect(set.lead).toEqual({ ...created, ...known, updated_at: expect.any(String) });
    expect([set.etag, set.lead.updated_at > created.updated_at]).toEqual(['"v2.0"', true]);
    expect(await tagRows(created.id)).toEqual([{ tag: 'new' }, { tag: 'vip' }]);

    const replaced = await patch(storeId, created.id, { tags: ['vip', 'old'], metadata: { since: '2020' } });
    expect(replaced.lead).toMatchObject({ tags: ['vip', 'old'], external_id: 'c-1' });
    expect(replaced.lead.metadata).toEqual({ plan: 'gold', since: '2020' });
    expect(await tagRows(created.id)).toEqual([{ tag: 'old' }, { tag: 'vip' }]);
    expect((await patch(storeId, created.id, { name: 'Ana' })).lead).toMatchObject({ tags: ['vip', 'old'] });

    const nothing = { external_id: null, email: null, tags: null, metadata: null };
    const cleared = await patch(storeId, created.id, nothing);
    const { external_id, email, tags, metadata } = cleared.lead;
    expect({ external_id, email, tags, metadata }).toEqual({ ...nothing, tags: [], metadata: {} });
    expect(cleared.etag).toBe('"v5.0"');
    expect(await tagRows(created.id)).toEqual([]);
    expect((await patch(storeId, created.id, nothing)).etag).toBe('"v5.0"');
    expect(await read(storeId, created.id)).toEqual(cleared.lead);
  });

  test('two systems that write their own metadata do not overwrite each other', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId, { metadata: { old: 'x' } });
    await Promise.all(Array.from({ length: 10 }, (_, n) => patch(storeId, id, { metadata: { [`key ${n}`]: `${n}` } })));
    const { lead } = await patch(storeId, id, { metadata: { old: '', 'key 1': null } });
    expect(Object.keys(lead.metadata).sort()).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `key ${n}`));
    const many = Object.fromEntries(Array.from({ length: 42 }, (_, n) => [`more ${n}`, 'x']));
    const refused = patch(storeId, id, { metadata: many });
    await expect(refused).rejects.toMatchObject({
      code: 'validation_failed',
      members: { errors: [{ pointer: '#/metadata' }] },
    });
    expect((await read(storeId, id)).metadata).toEqual(lead.metadata);
  });

  test('an external id of another lead is refused with the id of that lead, and nothing else of the request happens', async () => {
    const storeId = randomUUID();
    const owner = await create(storeId, known);
    const created = await create(storeId, { customer_phone: '5511900000002' });
    const refused = patch(storeId, created.id, { name: 'x', external_id: 'c-1' });
    await expect(refused).rejects.toMatchObject({ code: 'external_id_exists', members: { id: owner.id } });
    expect(await read(storeId, created.id)).toEqual(created);
    await patch(storeId, owner.id, { external_id: null });
    expect((await patch(storeId, created.id, { external_id: 'c-1' })).lead.external_id).toBe('c-1');
  });
});

describe('the seller', () => {
  test('null unassigns the lead', async () => {
    const storeId = randomUUID();
    const seller = await createActiveSeller(storeId);
    const { id } = await create(storeId, { seller_id: seller.id });
    expect((await patch(storeId, id, { seller_id: null })).lead.seller_id).toBeNull();
  });

  test('of another store, or an unknown one, is not found', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId);
    const foreign = await createActiveSeller(randomUUID());
    for (const seller_id of [foreign.id, randomUUID()]) {
      await expect(patch(storeId, id, { seller_id })).rejects.toMatchObject({ code: 'seller_not_found' });
    }
  });

  test('who is not there is told before a version that is not current, and who is inactive after it', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId);
    const seller = await createActiveSeller(storeId);
    await deactivate(storeId, seller.id);
    const codes = await Promise.all(
      [randomUUID(), seller.id].map((seller_id) =>
        crm.rpc
          .call(updateLead, { params: { leadId: id }, body: { seller_id } }, testContext({ storeId, ifMatch: '"v9"' }))
          .then(
            () => 'done',
            (error) => error.code,
          ),
      ),
    );
    expect(codes).toEqual(['seller_not_found', 'version_mismatch']);
  });

  test('who is inactive gets no lead, and the rest of the request has no effect', async () => {
    const storeId = randomUUID();
    const created = await create(storeId);
    const seller = await createActiveSeller(storeId);
    await deactivate(storeId, seller.id);
    const refused = patch(storeId, created.id, { name: 'x', seller_id: seller.id });
    await expect(refused).rejects.toMatchObject({ code: 'seller_inactive' });
    expect(await read(storeId, created.id)).toEqual(created);
  });

  test('who became inactive keeps the lead through other changes', async () => {
    const storeId = randomUUID();
    const seller = await createActiveSeller(storeId);
    const { id } = await create(storeId, { seller_id: seller.id });
    await deactivate(storeId, seller.id);
    const { lead } = await patch(storeId, id, { status: 'converted' });
    expect(lead).toMatchObject({ status: 'converted', seller_id: seller.id });
  });
});

describe('the phone', () => {
  const [short, long] = ['553177776666', '5531977776666'];
  const topics = async (storeId: string) =>
    (await crm.adminSql`select topic, data from outbox where store_id = ${storeId} order by id`).map(
      ({ topic, data }) => (topic === 'crm.lead.phone_changed' ? [topic, data] : topic),
    );
  /** Serves messaging's operation, and returns what it was told. */
  const serveMessaging = async (work: () => Promise<void> = async () => {}) => {
    const told: object[] = [];
    const server = createRpcServer({
      nats: crm.nats.nats,
      service: 'messaging',
      operations: { changeContactPhone },
      handlers: {
        changeContactPhone: async ({ storeId }, { body }) => {
          told.push({ storeId, ...body });
          await work();
          return { done: true };
        },
      },
      log: silentLog(),
    });
    await crm.nats.nats.flush();
    return { told, stop: () => server.drain() };
  };

  test('can be changed, is found under the new one alone, and messaging knows it before the answer', async () => {
    const storeId = randomUUID();
    const created = await create(storeId);
    const messaging = await serveMessaging();
    const { lead, etag } = await patch(storeId, created.id, { customer_phone: long });
    await messaging.stop();
    expect(lead).toEqual({ ...created, customer_phone: long, updated_at: expect.any(String) });
    expect([etag, lead.updated_at > created.updated_at]).toEqual(['"v2.0"', true]);
    expect(messaging.told).toEqual([{ storeId, lead_id: lead.id, customer_phone: long, version: 2 }]);
    expect(await topics(storeId)).toEqual([
      'crm.lead.created',
      'crm.lead.updated',
      ['crm.lead.phone_changed', { lead_id: lead.id }],
    ]);
    const ensure = (customer_phone: string) =>
      crm.rpc.call(ensureLead, { body: { customer_phone, name: 'x' } }, testContext({ storeId }));
    expect(await ensure(short)).toEqual({ id: lead.id, created: false });
    expect(await ensure('5511900000001')).toMatchObject({ created: true });
  });

  test('in another form is stored, and is no other phone', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId, { customer_phone: long });
    const messaging = await serveMessaging();
    expect((await patch(storeId, id, { customer_phone: short })).lead.customer_phone).toBe(short);
    expect((await patch(storeId, id, { customer_phone: short })).etag).toBe('"v2.0"');
    await messaging.stop();
    expect(messaging.told).toEqual([]);
    expect(await topics(storeId)).toEqual(['crm.lead.created', 'crm.lead.updated']);
  });

  test('of another lead is refused in any form with the id of that lead, and nothing else of the request happens', async () => {
    const storeId = randomUUID();
    const owner = await create(storeId, { customer_phone: long });
    const created = await create(storeId);
    for (const customer_phone of [long, short]) {
      const refused = patch(storeId, created.id, { name: 'x', customer_phone });
      await expect(refused).rejects.toMatchObject({ code: 'lead_exists', members: { id: owner.id } });
    }
    expect(await read(storeId, created.id)).toEqual(created);
    await create(randomUUID(), { customer_phone: '5511900000009' });
    expect((await patch(storeId, created.id, { customer_phone: '5511900000009' })).lead.id).toBe(created.id);
  });

  test('of a lead from before the canonical form is refused, too', async () => {
    const storeId = randomUUID();
    const [before] = await crm.adminSql`
      insert into leads (store_id, name, customer_phone) values (${storeId}, 'Before', ${short}) returning id`;
    const { id } = await create(storeId);
    const refused = patch(storeId, id, { customer_phone: long });
    await expect(refused).rejects.toMatchObject({ code: 'lead_exists', members: { id: before?.id } });
    const moved = await patch(storeId, before?.id, { customer_phone: '5511900000009' });
    expect(moved.lead.customer_phone).toBe('5511900000009');
    expect((await patch(storeId, id, { customer_phone: long })).lead.customer_phone).toBe(long);
  });

  test('can be given to one of several leads at once, and the others learn which', async () => {
    const storeId = randomUUID();
    const leads = await Promise.all(
      Array.from({ length: 6 }, (_, n) => create(storeId, { customer_phone: String(5511900000010 + n) })),
    );
    const answers = await Promise.allSettled(
      leads.map(({ id }, n) => patch(storeId, id, { customer_phone: n % 2 === 0 ? long : short })),
    );
    const winners = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.lead.id : []));
    expect(winners).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 'rejected')
        expect(answer.reason).toMatchObject({ code: 'lead_exists', members: { id: winners[0] } });
    }
  });

  test('is changed also when messaging is down, fails, or does not answer', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId);
    expect((await patch(storeId, id, { customer_phone: '5511900000002' })).lead.customer_phone).toBe('5511900000002');
    for (const work of [() => Promise.reject(new Error('no such column')), () => new Promise<void>(() => {})]) {
      const messaging = await serveMessaging(work);
      const phone = String(5511900000003 + messaging.told.length + Math.floor(Math.random() * 1000));
      expect((await patch(storeId, id, { customer_phone: phone })).lead.customer_phone).toBe(phone);
      expect(messaging.told).toHaveLength(1);
      void messaging.stop();
    }
    expect((await topics(storeId)).flat().filter((topic) => topic === 'crm.lead.phone_changed')).toHaveLength(3);
  });

  test('that an idempotent request changed reaches messaging once, and a replay does not bring it back', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId);
    const messaging = await serveMessaging();
    const body = { customer_phone: long };
    const keyed = () =>
      crm.rpc.forward(
        updateLead,
        { params: { leadId: id }, body },
        testContext({ storeId, body, idempotencyKey: 'k', idempotencyScope: `PATCH /leads/${id}` }),
      );
    await keyed();
    await patch(storeId, id, { customer_phone: '5511900000002' });
    expect((await keyed()).headers.replayed).toBe(true);
    await messaging.stop();
    expect(messaging.told).toHaveLength(2);
    expect((await read(storeId, id)).customer_phone).toBe('5511900000002');
  });
});

describe('If-Match', () => {
  test('of two updates with the same version, one succeeds', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId);
    const answers = await Promise.allSettled([
      patch(storeId, id, { name: 'one' }, '"v1"'),
      patch(storeId, id, { name: 'two' }, '"v1"'),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'version_mismatch' } });
  });

  test('interaction_count does not change the version', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId);
    await crm.adminSql`update leads set interaction_count = 7 where id = ${id}`;
    const { lead, etag } = await patch(storeId, id, { name: 'a' }, '"v1"');
    expect([lead.interaction_count, etag]).toEqual([7, '"v2.7"']);
  });

  test('an unknown lead is not found, whatever the version', async () => {
    const refused = patch(randomUUID(), randomUUID(), { name: 'x' }, '"v9"');
    await expect(refused).rejects.toMatchObject({ code: 'lead_not_found' });
  });
});

describe('Idempotency-Key', () => {
  const keyed = (storeId: string, leadId: string, body: Body, ifMatch?: string) =>
    crm.rpc.forward(
      updateLead,
      { params: { leadId }, body },
      testContext({ storeId, ifMatch, body, idempotencyKey: 'k', idempotencyScope: `PATCH /leads/${leadId}` }),
    );
  const textOf = ({ body }: { body: Uint8Array }) => Buffer.from(body).toString();

  test('a repeated update gets the first answer, although its If-Match is stale by now', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId);
    const body = { status: 'converted', ai_paused_until: '2126-11-21T12:00:00Z' } as const;
    const first = await keyed(storeId, id, body, '"v1"');
    await patch(storeId, id, { status: 'lost' });
    const again = await keyed(storeId, id, body, '"v1"');
    expect([textOf(again), again.headers.etag]).toEqual([textOf(first), '"v2.0p"']);
    expect([first.headers.replayed, again.headers.replayed]).toEqual([false, true]);
    expect((await read(storeId, id)).status).toBe('lost');
    expect(await events(storeId)).toHaveLength(2);
  });

  test('of twenty concurrent updates with one key one has an effect, and all get its answer', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId);
    const answers = await Promise.all(Array.from({ length: 20 }, () => keyed(storeId, id, { name: 'Ana' }, '"v1"')));
    expect(new Set(answers.map(textOf)).size).toBe(1);
    expect(answers.filter(({ headers }) => !headers.replayed)).toHaveLength(1);
  });

  test('a key that was used with another body is rejected, and the key of a rejected update is free', async () => {
    const storeId = randomUUID();
    const { id } = await create(storeId);
    const stale = keyed(storeId, id, { name: 'Ana' }, '"v9"');
    await expect(stale).rejects.toMatchObject({ code: 'version_mismatch' });
    await keyed(storeId, id, { name: 'Eva' });
    const other = keyed(storeId, id, { name: 'Ana' });
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect((await read(storeId, id)).name).toBe('Eva');
  });
});

test('the history has every status of a lead, the first included, and nothing for a rejected update', async () => {
  const storeId = randomUUID();
  const { id } = await create(storeId, { status: 'in_progress' });
  await patch(storeId, id, { status: 'converted' });
  await patch(storeId, id, { status: 'converted' });
  await patch(storeId, id, { name: 'x' });
  await expect(patch(storeId, id, { status: 'lost', seller_id: randomUUID() })).rejects.toThrow();
  const { lead } = await patch(storeId, id, { status: 'pending' });
  expect(await history(id)).toEqual([
    { from_status: null, to_status: 'in_progress', version: 1 },
    { from_status: 'in_progress', to_status: 'converted', version: 2 },
    { from_status: 'converted', to_status: 'pending', version: 4 },
  ]);
  const [last] = await crm.adminSql`
    select changed_at from lead_status_changes where lead_id = ${id} order by version desc limit 1`;
  expect(last?.changed_at.toISOString()).toBe(lead.updated_at);
});
