import { expect, test } from 'vitest';
import { addressesOf } from './addresses.ts';

test.each([
  ['postgres://crm:p%40ss@db:5433/m', ['postgres://crm:p%40ss@db:5433/m']],
  [
    'postgresql://crm:secret@db1:5432,db2:5433,[::1]/m?sslmode=verify-full',
    ['db1:5432', 'db2:5433', '[::1]'].map((host) => `postgresql://crm:secret@${host}/m?sslmode=verify-full`),
  ],
  [
    'postgres://db1,db2/m?target_session_attrs=read-write&sslmode=require',
    ['postgres://db1/m?sslmode=require', 'postgres://db2/m?sslmode=require'],
  ],
])('%s is an address for each host', (url, addresses) => {
  expect(addressesOf(url)).toEqual(addresses);
});
