import { expect, test } from 'vitest';
import { healthOf, type ProviderNumber } from './provider-number.ts';

const sound: ProviderNumber = {
  ...{ status: 'connected', quality: 'green', sending: 'available' },
  ...{ messaging_limit: 'TIER_250', name: 'Loja', name_status: 'approved' },
};
const unknown = { status: 'unknown', quality: 'unknown', sending: 'unknown' } as const;

test.each<[Partial<ProviderNumber>, string]>([
  [{}, 'good'],
  [{ quality: 'yellow' }, 'good'],
  [{ quality: 'unknown' }, 'good'],
  [{ name_status: 'declined' }, 'good'],
  [{ quality: 'red' }, 'warned'],
  [{ status: 'flagged' }, 'warned'],
  [{ status: 'rate_limited' }, 'warned'],
  [{ status: 'pending' }, 'warned'],
  [{ sending: 'limited' }, 'warned'],
  [{ status: 'flagged', sending: 'blocked' }, 'blocked'],
  [{ status: 'restricted', quality: 'red' }, 'blocked'],
  [{ status: 'banned', sending: 'available' }, 'blocked'],
  [{ status: 'disconnected' }, 'blocked'],
  [unknown, 'unknown'],
  [{ ...unknown, quality: 'red' }, 'warned'],
])('a number that is %o is %s', (changed, health) => {
  expect(healthOf({ ...sound, ...changed })).toBe(health);
});
