import { expect, test } from 'vitest';
import { addressesOf, tlsModeOf } from './database-addresses.ts';

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

const modeOf = (parameters: string) => tlsModeOf(new URL(`postgres://crm@db1/mostrador?${parameters}`));
const verified = { required: true, verified: true, direct: false };

test.each([
  ['', undefined],
  ['sslmode=disable', undefined],
  ['ssl=false', undefined],
  ['sslmode=allow', { required: false, verified: false, direct: false }],
  ['sslmode=prefer', { required: false, verified: false, direct: false }],
  ['sslmode=require', { required: true, verified: false, direct: false }],
  ['ssl=require', { required: true, verified: false, direct: false }],
  ['sslmode=require&sslnegotiation=direct', { required: true, verified: false, direct: true }],
  ['sslmode=verify-ca', verified],
  ['sslmode=verify-full', verified],
  ['ssl=true', verified],
  ['sslmode=verify-full&ssl=false', verified],
])('%s', (parameters, mode) => {
  expect(modeOf(parameters)).toEqual(mode);
});

test('a mode that does not exist verifies, so that a typing error opens nothing', () => {
  for (const text of ['verify_full', 'VERIFY-FULL', 'no-verify', '1', ''])
    expect(modeOf(`sslmode=${text}`)).toEqual(verified);
});
