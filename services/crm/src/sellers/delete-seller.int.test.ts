import { randomUUID } from 'node:crypto';
import {
  createLead,
  createSeller,
  deleteSeller,
  getLead,
  getSeller,
  listLeads,
  updateLead,
  updateSeller,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

let phones = 0;
const newSeller = (storeId: string) =>
  crm.rpc.call(createSeller, { body: { name: 'Ana', whatsapp_id: '5511900000100' } }, testContext({ storeId }));
const newLead = (storeId: string, seller_id: string | null) => {
  phones += 1;
  const body = { name: 'Maria', customer_phone: String(5511900000000 + phones), seller_id };
  return crm.rpc.call(createLead, { body }, testContext({ storeId }));
};
const remove = (storeId: string, sellerId: string, ifMatch?: string) =>
  crm.rpc.call(deleteSeller, { params: { sellerId } }, testContext({ storeId, ifMatch }));
const readLead = (storeId: string, leadId: string) =>
  crm.rpc.forward(getLead, { params: { leadId } }, testContext({ storeId }));

test('a deletion removes the seller and unassigns exactly the leads of that seller', async () => {
  const storeId = randomUUID();
  const [seller, other] = [await newSeller(storeId), await newSeller(storeId)];
  const [first, second, kept] = [
    await newLead(storeId, seller.id),
    await newLead(storeId, seller.id),
    await newLead(storeId, other.id),
  ];

  expect(await remove(storeId, seller.id)).toEqual({ deleted: true, id: seller.id });

  const reading = crm.rpc.call(getSeller, { params: { sellerId: seller.id } }, testContext({ storeId }));
  await expect(reading).rejects.toMatchObject({ code: 'seller_not_found' });
  for (const lead of [first, second]) {
    const { body, headers } = await readLead(storeId, lead.id);
    const read = JSON.parse(Buffer.from(body).toString());
    expect(read).toEqual({ ...lead, seller_id: null, updated_at: expect.any(String) });
    expect(read.updated_at > lead.updated_at).toBe(true);
    expect(headers.etag).toBe('"v2.0"');
  }
  expect((await readLead(storeId, kept.id)).headers.etag).toBe('"v1.0"');
});

test('the event has the number of unassigned leads', async () => {
  const storeId = randomUUID();
  const seller = await newSeller(storeId);
  await newLead(storeId, seller.id);
  await newLead(storeId, seller.id);
  await remove(storeId, seller.id);
  const events = await crm.adminSql`
    select data from outbox where store_id = ${storeId} and topic = 'crm.seller.deleted'`;
  expect(events).toEqual([{ data: { seller_id: seller.id, leads_unassigned: 2 } }]);
  expect((await crm.feed(storeId)).at(-1)).toEqual({
    type: 'seller.deleted',
    entity_id: seller.id,
    data: { seller_id: seller.id, leads_unassigned: 2, object: seller },
  });
});

test('a client that follows changes sees the unassigned leads', async () => {
  const storeId = randomUUID();
  const seller = await newSeller(storeId);
  const lead = await newLead(storeId, seller.id);
  await newLead(storeId, null);
  const list = (updated_after?: string) =>
    crm.rpc.call(listLeads, { query: { sort: 'updated_at', updated_after } }, testContext({ storeId }));
  const before = await waitFor(
    async () => {
      const { data } = await list();
      return data.length === 2 && data;
    },
    { description: 'both leads to be settled' },
  );
  await remove(storeId, seller.id);
  const seen = await waitFor(
    async () => {
      const { data } = await list(before.at(-1)?.updated_at);
      return data.length > 0 && data;
    },
    { description: 'the change to be settled' },
  );
  expect(seen).toMatchObject([{ id: lead.id, seller_id: null }]);
});

test('an inactive seller can be deleted, and a second deletion gets seller_not_found', async () => {
  const storeId = randomUUID();
  const { id } = await newSeller(storeId);
  const params = { sellerId: id };
  await crm.rpc.call(updateSeller, { params, body: { is_active: false } }, testContext({ storeId }));
  await remove(storeId, id);
  await expect(remove(storeId, id)).rejects.toMatchObject({ code: 'seller_not_found' });
});

test('a repeated deletion with its Idempotency-Key gets the first answer', async () => {
  const storeId = randomUUID();
  const { id: sellerId } = await newSeller(storeId);
  const idempotencyScope = `DELETE /sellers/${sellerId}`;
  const removeAgain = () =>
    crm.rpc.forward(
      deleteSeller,
      { params: { sellerId } },
      testContext({ storeId, idempotencyKey: 'k', idempotencyScope, ifMatch: '"v1"' }),
    );
  const [first, again] = [await removeAgain(), await removeAgain()];
  expect(JSON.parse(Buffer.from(first.body).toString())).toEqual({ deleted: true, id: sellerId });
  expect(again).toEqual({ ...first, headers: { ...first.headers, replayed: true } });
  await expect(remove(storeId, sellerId)).rejects.toMatchObject({ code: 'seller_not_found' });
});

test('another store’s seller is not found and not deleted', async () => {
  const storeId = randomUUID();
  const { id } = await newSeller(storeId);
  await expect(remove(randomUUID(), id)).rejects.toMatchObject({ code: 'seller_not_found' });
  await crm.rpc.call(getSeller, { params: { sellerId: id } }, testContext({ storeId }));
});

test('a stale If-Match deletes nothing', async () => {
  const storeId = randomUUID();
  const { id } = await newSeller(storeId);
  await expect(remove(storeId, id, '"v2"')).rejects.toMatchObject({ code: 'version_mismatch' });
  await remove(storeId, id, '"v1"');
});

test('a lead that is assigned during the deletion ends without a seller, or the assignment is rejected', async () => {
  const storeId = randomUUID();
  for (let round = 0; round < 10; round += 1) {
    const seller = await newSeller(storeId);
    const leads = await Promise.all(Array.from({ length: 4 }, () => newLead(storeId, null)));
    const giving = leads.map(({ id }) =>
      crm.rpc
        .call(updateLead, { params: { leadId: id }, body: { seller_id: seller.id } }, testContext({ storeId }))
        .catch((error) => expect(error).toMatchObject({ code: 'seller_not_found' })),
    );
    await Promise.all([...giving, remove(storeId, seller.id)]);
  }
  const left = await crm.adminSql`select 1 from leads where store_id = ${storeId} and seller_id is not null`;
  expect(left).toHaveLength(0);
});
