import { expect, test } from 'vitest';
import type { Credentials } from '../api/platform.ts';
import { hasWayBack } from './way-back.ts';

const none = { password: null, passkeys: [], oidc: null, may_join: false } as unknown as Credentials;
const password = { changed_at: '2026-11-26T12:00:00.000Z' };

test.each([
  ['with nothing, there is none', {}, false],
  ['a password is one', { password }, true],
  ['a passkey is one', { passkeys: [{}] }, true],
  ['an account at a provider is one', { oidc: {} }, true],
  ['a password that opens other stores only is none', { password, may_join: true }, false],
])('of ways back without a link: %s', (_, members, expected) => {
  expect(hasWayBack({ ...none, ...members } as Credentials)).toBe(expected);
});
