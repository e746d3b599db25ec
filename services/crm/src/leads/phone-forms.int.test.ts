import { randomUUID } from 'node:crypto';
import { createLead, ensureLead, importLeads, listLeads, reportLead } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const forms = [
  ['Brazil', '5531977776666', '553177776666'],
  ['Mexico', '525512345678', '5215512345678'],
  ['Argentina', '5491123456789', '54111523456789'],
] as const;
const inContext = (storeId: string) => testContext({ storeId });
const create = (storeId: string, customer_phone: string) =>
  crm.rpc.call(createLead, { body: { name: 'Maria', customer_phone } }, inContext(storeId));
const ensure = (storeId: string, customer_phone: string) =>
  crm.rpc.call(ensureLead, { body: { name: 'M.', customer_phone } }, inContext(storeId));
const importInto = (storeId: string, phones: readonly string[]) =>
  crm.rpc.call(
    importLeads,
    { body: { leads: phones.map((customer_phone) => ({ name: customer_phone, customer_phone })) } },
    inContext(storeId),
  );
const phonesOf = async (storeId: string) =>
  (await crm.adminSql`select customer_phone from leads where store_id = ${storeId} order by customer_phone`).map(
    (row) => row.customer_phone,
  );
/** A lead from before the canonical form was stored, or from a process of the previous version. */
const addBefore = async (storeId: string, phone: string, secondsAgo = 0): Promise<string> => {
  const [row] = await crm.adminSql`
    insert into leads (store_id, name, customer_phone, created_at)
    values (${storeId}, 'Before', ${phone}, now() - ${secondsAgo} * interval '1 second') returning id`;
  return row?.id as string;
};

describe.each(forms)('a lead of %s', (_, one, other) => {
  test.each([
    ['new', create],
    ['from before', async (storeId: string, phone: string) => ({ id: await addBefore(storeId, phone) })],
  ])('that is %s is found by either form of its phone, and shows the form that was written', async (_, add) => {
    for (const [written, asked] of [
      [one, other],
      [other, one],
    ] as const) {
      const storeId = randomUUID();
      const { id } = await add(storeId, written);
      await expect(create(storeId, asked)).rejects.toMatchObject({ code: 'lead_exists', members: { id } });
      expect(await ensure(storeId, asked)).toEqual({ id, created: false });
      expect(await importInto(storeId, [asked, '5511900000001'])).toMatchObject({ created: 1, existing: 1 });
      const list = await crm.rpc.call(listLeads, { query: { customer_phone: asked } }, inContext(storeId));
      expect(list).toMatchObject({ total: 1, data: [{ id, customer_phone: written }] });
      const body = { customer_phone: asked, from: null, to: null };
      expect(await crm.rpc.call(reportLead, { body }, inContext(storeId))).toMatchObject({ lead: { id } });
    }
  });
});

test('of many concurrent creations with both forms of a phone one makes the lead', async () => {
  const storeId = randomUUID();
  const [, one, other] = forms[0];
  const answers = await Promise.allSettled(Array.from({ length: 60 }, (_, n) => create(storeId, n % 2 ? one : other)));
  const created = answers.filter(({ status }) => status === 'fulfilled');
  expect(created).toHaveLength(1);
  const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => ensure(storeId, n % 2 ? other : one)));
  expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
  expect(await phonesOf(storeId)).toHaveLength(1);
});

test('of many concurrent first messages and imports with both forms of a phone one makes the lead', async () => {
  const storeId = randomUUID();
  const phones = forms.flatMap(([, one, other]) => [one, other]);
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => [
      ensure(storeId, phones[n % phones.length] as string),
      importInto(storeId, n % 2 ? phones : phones.toReversed()),
    ]).flat(),
  );
  expect(await phonesOf(storeId)).toHaveLength(forms.length);
});

test('of two leads in an import with two forms of a phone the first is imported', async () => {
  const storeId = randomUUID();
  expect(await importInto(storeId, ['553177776666', '5531977776666'])).toMatchObject({ created: 1, existing: 1 });
  expect(await phonesOf(storeId)).toEqual(['553177776666']);
});

test('each of two duplicates from before is found by its own form, and a list has both', async () => {
  const storeId = randomUUID();
  const [, one, other] = forms[2];
  const older = await addBefore(storeId, '54111523456789', 60);
  const newer = await addBefore(storeId, '5491123456789');
  expect((await ensure(storeId, one)).id).toBe(newer);
  expect((await ensure(storeId, other)).id).toBe(older);
  const list = await crm.rpc.call(listLeads, { query: { customer_phone: one } }, inContext(storeId));
  expect(list.data.map(({ id }) => id)).toEqual([newer, older]);
});
