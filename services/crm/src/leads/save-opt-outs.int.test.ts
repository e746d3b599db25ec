import { randomUUID } from 'node:crypto';
import { createLead, getLead, listLeads, type RequestOf, saveOptOuts, updateLead } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const storeId = randomUUID();
let phones = 5511900000000;
const newLead = async () => {
  const body = { name: 'Maria', customer_phone: String(++phones) };
  return (await crm.rpc.call(createLead, { body }, testContext({ storeId }))).id;
};
type OptOut = RequestOf<typeof saveOptOuts>['body']['opt_outs'][number];
const save = (opt_outs: OptOut[], store = storeId) =>
  crm.rpc.call(saveOptOuts, { body: { opt_outs } }, testContext({ storeId: store }));
const read = async (leadId: string) => {
  const { body, headers } = await crm.rpc.forward(getLead, { params: { leadId } }, testContext({ storeId }));
  return { lead: JSON.parse(Buffer.from(body).toString()), etag: headers.etag as string };
};
const at = '2026-11-21T12:00:00.000Z';

test('the latest version stays, even if versions arrive repeatedly, concurrently and in any order', async () => {
  const id = await newLead();
  const versions = [2, 1, 4, 3, 4, 2].map((version) => ({
    lead_id: id,
    opted_out_at: version % 2 === 0 ? `2026-11-21T12:00:0${version}.000Z` : null,
    version,
  }));
  await Promise.all(versions.map((one) => save([one])));
  expect((await read(id)).lead.opted_out_at).toBe('2026-11-21T12:00:04.000Z');
  await save([
    { lead_id: id, opted_out_at: at, version: 6 },
    ...versions,
    { lead_id: id, opted_out_at: null, version: 7 },
  ]);
  expect((await read(id)).lead.opted_out_at).toBeNull();
});

test('a change moves `updated_at` and the ETag, and one that shows nothing new moves neither `updated_at` nor If-Match', async () => {
  const id = await newLead();
  const before = await read(id);
  // A conversation from before versions: version 0.
  await save([{ lead_id: id, opted_out_at: at, version: 0 }]);
  const after = await read(id);
  expect(after.lead).toEqual({ ...before.lead, opted_out_at: at, updated_at: after.lead.updated_at });
  expect(after.lead.updated_at > before.lead.updated_at).toBe(true);
  expect(after.etag).not.toBe(before.etag);
  await save([{ lead_id: id, opted_out_at: at, version: 2 }]);
  expect((await read(id)).lead).toEqual(after.lead);
  const changing = { params: { leadId: id }, body: { name: 'Ana' } };
  const changed = await crm.rpc.call(updateLead, changing, testContext({ storeId, ifMatch: before.etag }));
  expect(changed).toMatchObject({ name: 'Ana', opted_out_at: at });
});

test('leads of another store and unknown ones stay as they are, and the others of the request are stored', async () => {
  const id = await newLead();
  await save([{ lead_id: id, opted_out_at: at, version: 1 }], randomUUID());
  expect((await read(id)).lead.opted_out_at).toBeNull();
  await save([
    { lead_id: randomUUID(), opted_out_at: at, version: 1 },
    { lead_id: id, opted_out_at: at, version: 1 },
  ]);
  expect((await read(id)).lead.opted_out_at).toBe(at);
  const { data } = await crm.rpc.call(listLeads, { query: { opted_out: true, limit: 200 } }, testContext({ storeId }));
  expect(data.map((lead) => lead.id)).toContain(id);
});
