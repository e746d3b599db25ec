import { expect, test } from 'vitest';
import { sign } from '../../../test/inbound-webhook.ts';
import { isSameSecret, isSignedBy } from './signature.ts';

const payload = Buffer.from('{"a": "ã"}');

test('a signature with any of the secrets is accepted, in upper or lower case', () => {
  expect(isSignedBy(['new', 'old'], payload, sign(payload, 'old'))).toBe(true);
  expect(isSignedBy(['new', 'old'], payload, sign(payload, 'new').toUpperCase().replace('SHA256', 'sha256'))).toBe(
    true,
  );
});

test.each([
  '',
  'sha256=',
  `sha256=${'0'.repeat(64)}`,
  `sha1=${'0'.repeat(40)}`,
  'sha256=zz',
  `${sign(payload, 'new')}0`,
])('the header %j is rejected', (header) => {
  expect(isSignedBy(['new'], payload, header)).toBe(false);
});

test('other bytes, another secret, or no secret are rejected', () => {
  expect(isSignedBy(['new'], Buffer.from('{"a":"ã"}'), sign(payload, 'new'))).toBe(false);
  expect(isSignedBy(['new'], payload, sign(payload, 'old'))).toBe(false);
  expect(isSignedBy([], payload, sign(payload, 'new'))).toBe(false);
});

test('secrets of different lengths can be compared', () => {
  expect(isSameSecret('token', 'token')).toBe(true);
  expect(isSameSecret('token', 'token2')).toBe(false);
  expect(isSameSecret('', 'token')).toBe(false);
});
