import { expect, test } from 'vitest';
import { networksOf } from './networks.ts';

test.each([
  ['203.0.113.7', ['203.0.113.7']],
  ['::ffff:203.0.113.7', ['203.0.113.7']],
  ['::FFFF:cb00:7107', ['203.0.113.7']],
  ['64:ff9b::203.0.113.7', ['203.0.113.7']],
  ['2001:db8:1:2:3:4:5:6', ['2001:db8:1:2', '2001:db8:1:0/56', '2001:db8:1/48']],
  ['2001:db8:1:2ff::1', ['2001:db8:1:2ff', '2001:db8:1:200/56', '2001:db8:1/48']],
  ['2001:0db8:0001:0002::', ['2001:db8:1:2', '2001:db8:1:0/56', '2001:db8:1/48']],
  ['2001:db8::1', ['2001:db8:0:0', '2001:db8:0:0/56', '2001:db8:0/48']],
  ['::1', ['0:0:0:0', '0:0:0:0/56', '0:0:0/48']],
  ['fe80::1%eth0', ['fe80:0:0:0', 'fe80:0:0:0/56', 'fe80:0:0/48']],
  ['unknown', ['unknown']],
])('the networks of %s are %j', (address, networks) => {
  expect(networksOf(address).map(({ name }) => name)).toEqual(networks);
});

test('a larger network has more attempts, and far fewer than all networks in it', () => {
  expect(networksOf('2001:db8::1').map(({ share }) => share)).toEqual([1, 3, 10]);
});
