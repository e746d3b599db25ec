import { expect, test } from 'vitest';
import { type Proof, proofOf } from './proof.ts';

type Session = Parameters<typeof proofOf>[0];
const link: Session = { openedBy: 'link', ageMs: 0, hasCredentials: false, joinedElsewhere: false };
const minute = 60_000;

test.each<[string, Partial<Session>, Proof]>([
  ['a new link, and nothing set', {}, 'first'],
  ['a link just before 15 minutes', { ageMs: 15 * minute - 1 }, 'first'],
  ['a link after 15 minutes', { ageMs: 15 * minute }, 'stale'],
  ['a link of the only store', { hasCredentials: true }, 'reset'],
  ['a link of one of several stores', { hasCredentials: true, joinedElsewhere: true }, 'elsewhere'],
  ['a new account of a provider, and nothing set', { openedBy: 'oidc' }, 'first'],
  ['the same with something set', { openedBy: 'oidc', hasCredentials: true }, 'reset'],
  [
    'the same with something that opens a store that the provider did not confirm',
    { openedBy: 'oidc', hasCredentials: true, joinedElsewhere: true },
    'elsewhere',
  ],
  ['a passkey', { openedBy: 'passkey', hasCredentials: true, joinedElsewhere: true }, 'proved'],
  ['a password', { openedBy: 'password', hasCredentials: true }, 'proved'],
  ['an old passkey session', { openedBy: 'passkey', ageMs: 15 * minute, hasCredentials: true }, 'stale'],
])('%s: %j is %s', (_what, more, proof) => {
  expect(proofOf({ ...link, ...more })).toBe(proof);
});
