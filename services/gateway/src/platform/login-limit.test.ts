import { expect, test } from 'vitest';
import { createLoginLimit, createNetworkLimit, createRefusalLimit, networkOf } from './login-limit.ts';

const refused = { code: 'quota_exceeded' };

test('a network gets 20 attempts a minute, and other networks are not delayed', () => {
  let nowMs = 0;
  const check = createLoginLimit(() => nowMs);
  const attempt = (address: string) => check({ address, linkId: undefined });
  for (let tried = 0; tried < 20; tried += 1) attempt('203.0.113.7');
  expect(() => attempt('203.0.113.7')).toThrow(expect.objectContaining(refused));
  attempt('203.0.113.8');
  nowMs += 3_000;
  attempt('203.0.113.7');
  expect(() => attempt('203.0.113.7')).toThrow(expect.objectContaining({ retryAfterSeconds: 3 }));
});

test('one login link gets 20 attempts a minute from all networks together', () => {
  const check = createLoginLimit(() => 0);
  for (let tried = 0; tried < 20; tried += 1) check({ address: `198.51.100.${tried}`, linkId: 'a' });
  expect(() => check({ address: '198.51.100.99', linkId: 'a' })).toThrow(expect.objectContaining(refused));
  check({ address: '198.51.100.99', linkId: 'b' });
});

test('a network that floods accounts waits, and other networks do not', () => {
  const check = createNetworkLimit(() => 0);
  for (let asked = 0; asked < 6000; asked += 1) check('203.0.113.7');
  expect(() => check('203.0.113.7')).toThrow(expect.objectContaining(refused));
  check('203.0.113.8');
});

test('a network with many refused sessions waits, looking costs nothing, and other networks do not wait', () => {
  let nowMs = 0;
  const limit = createRefusalLimit(() => nowMs);
  for (let looked = 0; looked < 1000; looked += 1) limit.check('203.0.113.7');
  for (let counted = 0; counted < 600; counted += 1) limit.count('203.0.113.7');
  expect(() => limit.check('203.0.113.7')).toThrow(expect.objectContaining({ ...refused, retryAfterSeconds: 1 }));
  limit.check('203.0.113.8');
  nowMs += 100;
  limit.check('203.0.113.7');
});

test('one account gets 20 attempts a minute from all networks together, however its address is written', () => {
  const check = createLoginLimit(() => 0);
  const written = ['ana@example.com', 'Ana@Example.com', ' ANA@EXAMPLE.COM '];
  for (let tried = 0; tried < 20; tried += 1) check({ address: `198.51.100.${tried}`, email: written[tried % 3] });
  expect(() => check({ address: '198.51.100.99', email: 'ana@example.com' })).toThrow(expect.objectContaining(refused));
  check({ address: '198.51.100.99', email: 'rui@example.com' });
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::1', '2001:db8:1:2'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['unknown', 'unknown'],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
