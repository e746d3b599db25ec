import { randomUUID } from 'node:crypto';
import { createSeller } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

const body = { name: 'Ana', whatsapp_id: '5511900000100' };

test('a new seller is active by default', async () => {
  const seller = await crm.rpc.call(createSeller, { body }, testContext());
  expect(seller).toEqual({ id: expect.any(String), ...body, is_active: true, bookable: false, hours: null });
});

test('the outbox has the event when the seller exists, and the event has no personal data', async () => {
  const storeId = randomUUID();
  const { id } = await crm.rpc.call(createSeller, { body: { ...body, is_active: false } }, testContext({ storeId }));
  const rows = await crm.adminSql`select topic, data from outbox where store_id = ${storeId}`;
  expect(rows).toEqual([{ topic: 'crm.seller.created', data: { seller_id: id, is_active: false } }]);
});

test('a second request with the same Idempotency-Key gets the first answer and creates no seller', async () => {
  const storeId = randomUUID();
  const context = testContext({ storeId, idempotencyKey: 'k', idempotencyScope: 'POST /sellers', body });
  const first = await crm.rpc.forward(createSeller, { body }, context);
  const second = await crm.rpc.forward(createSeller, { body }, context);
  expect(second.body).toEqual(first.body);
  expect(second.headers).toMatchObject({ replayed: true, etag: first.headers.etag });
  const sellers = await crm.adminSql`select 1 from sellers where store_id = ${storeId}`;
  expect(sellers).toHaveLength(1);
  const seller = JSON.parse(Buffer.from(first.body).toString());
  expect(await crm.feed(storeId)).toEqual([
    {
      type: 'seller.created',
      entity_id: seller.id,
      data: { seller_id: seller.id, is_active: true, object: seller },
    },
  ]);
});

test.each([
  ['no name', { name: '' }],
  ['an identifier that is not a number', { whatsapp_id: 'ana' }],
  ['a flag that is not a boolean', { is_active: 'yes' }],
])('%s is rejected', async (_, wrong) => {
  const creating = crm.rpc.call(createSeller, { body: { ...body, ...wrong } as typeof body }, testContext());
  await expect(creating).rejects.toMatchObject({ code: 'validation_failed' });
});
