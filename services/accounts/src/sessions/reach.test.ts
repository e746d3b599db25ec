import { describe, expect, test } from 'vitest';
import { type Reaching, reachAfter, reachOf } from './reach.ts';

const storeId = 'own';
const session = (change: Partial<Reaching>): Reaching => ({
  ...{ store_id: storeId, reach: 'store', opened_by: 'link', passkey_id: null },
  ...change,
});

describe('the stores that a session reaches', () => {
  test("a session of an owner's link stays in its store", () => {
    expect(reachOf(session({}))).toEqual({ stores: 'own', storeId });
  });

  test("the operator's link opens all stores of the person", () => {
    expect(reachOf(session({ reach: 'all' }))).toEqual({ stores: 'all' });
  });

  test('a password opens what it opens, and a passkey what that passkey opens', () => {
    const joined = { reach: 'joined' } as const;
    const opened = { stores: 'opened', storeId };
    expect(reachOf(session({ ...joined, opened_by: 'password' }))).toEqual({ ...opened, passkeyId: null });
    expect(reachOf(session({ ...joined, opened_by: 'passkey', passkey_id: 'p' }))).toEqual({
      ...opened,
      passkeyId: 'p',
    });
  });

  test('without the passkey that opened it, a session stays in its store', () => {
    expect(reachOf(session({ reach: 'joined', opened_by: 'passkey' }))).toEqual({ stores: 'own', storeId });
  });

  test('the account at the provider opens what it confirmed', () => {
    expect(reachOf(session({ reach: 'confirmed', opened_by: 'oidc' }))).toEqual({ stores: 'confirmed', storeId });
  });
});

test('a proof widens a session that stayed in its store, and narrows none that the operator opened', () => {
  const after = (proof: 'password' | 'passkey' | 'oidc') =>
    (['store', 'joined', 'confirmed', 'all'] as const).map((reach) => reachAfter(proof, { reach }));
  expect(after('password')).toEqual(['joined', 'joined', 'confirmed', 'all']);
  expect(after('passkey')).toEqual(after('password'));
  expect(after('oidc')).toEqual(['confirmed', 'confirmed', 'confirmed', 'all']);
});
