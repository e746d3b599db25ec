import { defineOperation, Exact, Uuid } from '@mostrador/contracts';
import { Type } from '@sinclair/typebox';
import { expect, expectTypeOf, test } from 'vitest';
import type { Handlers } from './server.ts';

const operations = {
  readThing: defineOperation({
    subject: 'shop.api.things.read',
    summary: 'Read a thing',
    request: { params: Exact({ thingId: Uuid }) },
    reply: Type.Object({ id: Uuid }),
  }),
  listStores: defineOperation({
    subject: 'shop.admin.stores.list',
    access: 'platform',
    tenancy: 'none',
    summary: 'List stores',
    request: {},
    reply: Type.Object({}),
  }),
} as const;
const readThing: Handlers<typeof operations>['readThing'] = async ({ storeId }, { params }) => {
  expectTypeOf(storeId).toEqualTypeOf<string>();
  return { id: params.thingId };
};
const listStores: Handlers<typeof operations>['listStores'] = async (context) => {
  // @ts-expect-error An operation without tenancy has no store.
  context.storeId;
  return {};
};

test('a missing handler, or one with the wrong reply, is a type error', () => {
  const complete: Handlers<typeof operations> = { readThing, listStores };
  // @ts-expect-error listStores is missing.
  const incomplete: Handlers<typeof operations> = { readThing };
  // @ts-expect-error The reply lacks its id.
  const wrong: Handlers<typeof operations> = { listStores, readThing: async () => ({}) };
  expect([complete, incomplete, wrong]).toHaveLength(3);
});

test('an operation without a store that does not say who may call it is a type error', () => {
  const definition = {
    subject: 'shop.platform.stores.list',
    summary: 'List stores',
    request: {},
    reply: Type.Object({}),
  } as const;
  // @ts-expect-error It has no access.
  const silent = defineOperation({ ...definition, tenancy: 'none' });
  const open = defineOperation({ ...definition, access: { role: 'guest' }, tenancy: 'none' });
  expect([silent, open]).toHaveLength(2);
});

test('the default tenancy of an operation is store', () => {
  expectTypeOf(operations.readThing.tenancy).toEqualTypeOf<'store'>();
  expectTypeOf(operations.listStores.tenancy).toEqualTypeOf<'none'>();
  expect([operations.readThing.tenancy, operations.listStores.tenancy]).toEqual(['store', 'none']);
});
