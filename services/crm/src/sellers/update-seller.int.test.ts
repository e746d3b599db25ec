import { randomUUID } from 'node:crypto';
import {
  createSeller,
  findBookedSellers,
  getSeller,
  type RequestOf,
  type Seller,
  updateSeller,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

type Body = RequestOf<typeof updateSeller>['body'];

const create = (storeId: string) =>
  crm.rpc.call(createSeller, { body: { name: 'Ana', whatsapp_id: '5511900000100' } }, testContext({ storeId }));
const patch = async (storeId: string, sellerId: string, body: Body, ifMatch?: string) => {
  const context = testContext({ storeId, ifMatch });
  const { body: bytes, headers } = await crm.rpc.forward(updateSeller, { params: { sellerId }, body }, context);
  return { seller: JSON.parse(Buffer.from(bytes).toString()) as Seller, etag: headers.etag };
};
const events = (storeId: string) => crm.adminSql`
  select data from outbox where store_id = ${storeId} and topic = 'crm.seller.updated' order by id`;

test('an update changes only the given members, raises the version and writes an event', async () => {
  const storeId = randomUUID();
  const created = await create(storeId);
  const first = await patch(storeId, created.id, { is_active: false });
  expect(first).toEqual({ seller: { ...created, is_active: false }, etag: '"v2"' });
  const second = await patch(storeId, created.id, { name: ' Ana Lima ', whatsapp_id: '5511900000101' });
  expect(second).toEqual({
    seller: { ...created, name: 'Ana Lima', whatsapp_id: '5511900000101', is_active: false },
    etag: '"v3"',
  });
  const params = { sellerId: created.id };
  expect(await crm.rpc.call(getSeller, { params }, testContext({ storeId }))).toEqual(second.seller);
  const data = { seller_id: created.id, is_active: false };
  expect(await events(storeId)).toEqual([{ data }, { data }]);
  expect((await crm.feed(storeId)).map(({ type, data }) => [type, data.object])).toEqual([
    ['seller.created', created],
    ['seller.updated', first.seller],
    ['seller.updated', second.seller],
  ]);
});

test('an update without a change keeps the version and writes no event', async () => {
  const storeId = randomUUID();
  const created = await create(storeId);
  const same = await patch(storeId, created.id, { name: 'Ana', is_active: true });
  expect(same).toEqual({ seller: created, etag: '"v1"' });
  expect(await events(storeId)).toEqual([]);
});

test('hours that are not valid are told before a seller that is not there and a version that is not current', async () => {
  const storeId = randomUUID();
  const { id } = await create(storeId);
  const hours = [{ weekday: 1, from: '18:00', to: '09:00' }];
  for (const attempt of [patch(storeId, randomUUID(), { hours }), patch(storeId, id, { hours }, '"v9"')]) {
    await expect(attempt).rejects.toMatchObject({ code: 'validation_failed' });
  }
});

test('scheduling reads who can be booked and when, of its own store only', async () => {
  const storeId = randomUUID();
  const { id } = await create(storeId);
  const hours = [{ weekday: 1, from: '09:00', to: '18:00' }];
  const { seller } = await patch(storeId, id, { bookable: true, hours });
  expect(seller).toMatchObject({ bookable: true, hours });
  const find = (store: string) =>
    crm.rpc.call(findBookedSellers, { body: { seller_ids: [id, randomUUID()] } }, testContext({ storeId: store }));
  expect(await find(storeId)).toEqual({ sellers: [{ id, is_active: true, bookable: true, hours }] });
  expect(await find(randomUUID())).toEqual({ sellers: [] });
});

test('an empty or invalid update is rejected', async () => {
  const storeId = randomUUID();
  const { id } = await create(storeId);
  const wrong = [{}, { name: '' }, { name: null }, { whatsapp_id: '+5511900000100' }, { whatsapp_id: '123' }];
  for (const body of [...wrong, { is_active: 'no' }, { is_active: null }, { id: randomUUID() }]) {
    const refused = patch(storeId, id, body as Body);
    await expect(refused, JSON.stringify(body)).rejects.toMatchObject({ code: 'validation_failed' });
  }
});

test('another store’s seller is not found', async () => {
  const { id } = await create(randomUUID());
  await expect(patch(randomUUID(), id, { name: 'x' })).rejects.toMatchObject({ code: 'seller_not_found' });
});

test('a repeated update with an Idempotency-Key gets the first answer, although its If-Match is stale by now', async () => {
  const storeId = randomUUID();
  const { id: sellerId } = await create(storeId);
  const body = { name: 'Ana Lima' };
  const idempotencyScope = `PATCH /sellers/${sellerId}`;
  const update = () =>
    crm.rpc.forward(
      updateSeller,
      { params: { sellerId }, body },
      testContext({ storeId, body, idempotencyKey: 'k', idempotencyScope, ifMatch: '"v1"' }),
    );
  const first = await update();
  await patch(storeId, sellerId, { name: 'Ana' });
  const again = await update();
  expect(again).toEqual({ ...first, headers: { ...first.headers, etag: '"v2"', replayed: true } });
  expect(await events(storeId)).toHaveLength(2);
});

test('of two updates with the same version, one succeeds', async () => {
  const storeId = randomUUID();
  const { id } = await create(storeId);
  const answers = await Promise.allSettled(['one', 'two'].map((name) => patch(storeId, id, { name }, '"v1"')));
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'version_mismatch' } });
});
