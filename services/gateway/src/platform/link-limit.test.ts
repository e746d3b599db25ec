import { expect, test } from 'vitest';
import { createLinkLimit } from './link-limit.ts';

const refused = expect.objectContaining({ code: 'quota_exceeded' });

test('a network looks at links 120 times a minute, and others are not delayed', () => {
  let nowMs = 0;
  const check = createLinkLimit(() => nowMs);
  const look = (address: string, at: number) => check({ address, linkId: `${address} ${at}` });
  for (let looked = 0; looked < 120; looked += 1) look('2001:db8:1:2::1', looked);
  expect(() => look('2001:db8:1:2:ffff::2', 120)).toThrow(refused);
  look('2001:db8:1:3::1', 0);
  nowMs += 500;
  look('2001:db8:1:2::1', 121);
});

test('one link is looked at 120 times a minute from all networks together', () => {
  const check = createLinkLimit(() => 0);
  for (let looked = 0; looked < 120; looked += 1) check({ address: `198.51.100.${looked}`, linkId: 'a' });
  expect(() => check({ address: '203.0.113.7', linkId: 'a' })).toThrow(refused);
  check({ address: '203.0.113.7', linkId: undefined });
});
