import { expect, test } from 'vitest';
import type { StoreChannel } from '../api/platform.ts';
import { overwriteGetLocale } from '../paraglide/runtime.js';
import { wordsOfHealth, wordsOfLimit, wordsOfName, wordsOfQuality } from './number-words.ts';

overwriteGetLocale(() => 'en');

type ChannelNumber = NonNullable<StoreChannel['number']>;
const sound: ChannelNumber = {
  ...{ health: 'good', status: 'connected', quality: 'green', sending: 'available', messaging_limit: 'TIER_250' },
  ...{ name: 'Loja', name_status: 'approved', checked_at: '2026-11-28T12:00:00.000Z' },
};
const said = (changed: Partial<ChannelNumber>) => wordsOfHealth({ ...sound, ...changed });

test('only a number that is warned or blocked says what to do, each by its cause', () => {
  expect([said({}), said({ health: 'unknown', status: 'unknown' })]).toEqual([undefined, undefined]);
  const complaints = said({ health: 'warned', quality: 'red' });
  expect(complaints).toContain('Customers');
  expect(said({ health: 'warned', status: 'flagged' })).toBe(complaints);
  const limited = said({ health: 'warned', sending: 'limited' });
  const blocked = said({ health: 'blocked', status: 'banned' });
  expect(new Set([complaints, limited, blocked, undefined]).size).toBe(4);
});

test.each([
  ['TIER_50', '50'],
  ['TIER_1K', '1,000'],
  ['TIER_100K', '100,000'],
  ['TIER_UNLIMITED', 'no limit'],
  ['TIER_OF_LATER', 'TIER_OF_LATER'],
  [null, undefined],
])('the limit %s is shown as %s', (messaging_limit, words) => {
  expect(wordsOfLimit({ ...sound, messaging_limit })).toBe(words);
});

test('a name says that it is under review or refused, and an unknown quality says nothing', () => {
  const name = (name_status: ChannelNumber['name_status']) => wordsOfName({ ...sound, name_status });
  expect(name('approved')).toBe('Loja');
  expect(new Set([name('approved'), name('pending_review'), name('declined')]).size).toBe(3);
  expect(wordsOfName({ ...sound, name: null })).toBeUndefined();
  expect(wordsOfQuality({ ...sound, quality: 'unknown' })).toBeUndefined();
});
