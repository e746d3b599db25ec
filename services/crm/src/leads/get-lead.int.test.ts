import { randomUUID } from 'node:crypto';
import { createLead, getLead } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const storeId = randomUUID();
const body = { name: 'Maria', customer_phone: '5511900000001' };

test("another store's lead is not found", async () => {
  const lead = await crm.rpc.call(createLead, { body }, testContext({ storeId: randomUUID() }));
  const reading = crm.rpc.call(getLead, { params: { leadId: lead.id } }, testContext({ storeId }));
  await expect(reading).rejects.toMatchObject({ code: 'lead_not_found' });
});

test('an unknown id is not found', async () => {
  const reading = crm.rpc.call(getLead, { params: { leadId: randomUUID() } }, testContext({ storeId }));
  await expect(reading).rejects.toMatchObject({ code: 'lead_not_found' });
});

test('an invalid id is rejected', async () => {
  const reading = crm.rpc.call(getLead, { params: { leadId: '7' } }, testContext({ storeId }));
  await expect(reading).rejects.toMatchObject({ code: 'validation_failed' });
});

test('the ETag changes with all that is shown, also when a pause of the AI is over', async () => {
  const lead = await crm.rpc.call(createLead, { body }, testContext({ storeId }));
  const read = async () => {
    const { body, headers } = await crm.rpc.forward(getLead, { params: { leadId: lead.id } }, testContext({ storeId }));
    return [headers.etag, JSON.parse(Buffer.from(body).toString()).ai_paused_until];
  };
  expect(await read()).toEqual(['"v1.0"', null]);
  await crm.adminSql`update leads set interaction_count = 7 where id = ${lead.id}`;
  expect(await read()).toEqual(['"v1.7"', null]);
  await crm.adminSql`update leads set ai_paused_until = '2126-11-21T12:00:00Z' where id = ${lead.id}`;
  expect(await read()).toEqual(['"v1.7p"', '2126-11-21T12:00:00.000Z']);
  // As if that moment had passed.
  await crm.adminSql`update leads set ai_paused_until = '2020-01-01T00:00:00Z' where id = ${lead.id}`;
  expect(await read()).toEqual(['"v1.7"', null]);
});

test('row-level security hides other stores from a statement that names no store', async () => {
  const context = testContext();
  const hidden = await crm.database.read(context, (sql) => sql`select 1 from leads`);
  expect(hidden).toHaveLength(0);
  const insertion = crm.database.write(
    context,
    (sql) => sql`insert into leads (store_id, name, customer_phone) values (${storeId}, 'Eve', '5511900000009')`,
  );
  await expect(insertion).rejects.toThrow(/row-level security/);
});
