import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type OptOutColumns, optOutEvents, toOptOut, type Wish, withWish } from './opt-out-state.ts';

const none: OptOutColumns = { opted_out_at: null, opt_out_wishes: null };
const at = (seconds: number) => new Date(Date.parse('2026-11-21T12:00:00.000Z') + seconds * 1000);
const now = new Date('2026-11-22T12:00:00.000Z');

/** As the repository saves it. */
const apply = (columns: OptOutColumns, wish: Wish): OptOutColumns => {
  const { optedOut, wishes } = withWish(columns, wish);
  return { opted_out_at: optedOut ? (columns.opted_out_at ?? now) : null, opt_out_wishes: wishes };
};
const scopeAfter = (...wishes: Wish[]) => toOptOut(wishes.reduce(apply, none))?.scope ?? null;

const stopWord = (seconds: number): Wish => ({ want: 'stop', scope: 'all', source: 'stop_word', at: at(seconds) });
const startWord = (seconds: number): Wish => ({ ...stopWord(seconds), want: 'start' });
const stopMarketing = (seconds: number): Wish => ({
  ...{ want: 'stop', scope: 'marketing', source: 'channel_preference', at: at(seconds) },
});
const resumeMarketing = (seconds: number): Wish => ({ ...stopMarketing(seconds), want: 'start' });

test.each([
  ['nothing was said', [], null],
  ['a stop word stops all messages', [stopWord(1)], 'all'],
  ['a start word ends it', [stopWord(1), startWord(2)], null],
  ['WhatsApp’s setting stops marketing messages', [stopMarketing(1)], 'marketing'],
  ['resuming ends it', [stopMarketing(1), resumeMarketing(2)], null],
  ['a start word ends it, too', [stopMarketing(1), startWord(2)], null],
  ['resuming marketing messages does not end a stop word', [stopWord(1), resumeMarketing(2)], 'all'],
  ['a stop word counts beside a stopped setting', [stopMarketing(1), stopWord(2)], 'all'],
  ['a late resumption from before the stop changes nothing', [stopMarketing(5), resumeMarketing(2)], 'marketing'],
  ['a late stop from before the start changes nothing', [startWord(5), stopMarketing(2), stopWord(1)], null],
  ['of one second the one that comes last counts', [stopWord(1), startWord(1)], null],
] as const)('%s', (_, wishes, scope) => {
  expect(scopeAfter(...wishes)).toBe(scope);
});

test('the order in which wishes arrive does not matter, nor that they are repeated', () => {
  const kinds = fc.constantFrom(stopWord, startWord, stopMarketing, resumeMarketing);
  // No two in one second: the channel tells no order within it.
  const wishes = fc
    .uniqueArray(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 8 })
    .chain((times) => fc.tuple(...times.map((time) => kinds.map((kind) => kind(time)))));
  const orders = wishes.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }), fc.subarray(all)),
  );
  fc.assert(
    fc.property(orders, ([all, shuffled, again]) => {
      const inTime = all.toSorted((a, b) => +a.at - +b.at);
      expect(scopeAfter(...shuffled, ...again)).toBe(scopeAfter(...inTime));
    }),
  );
});

test('an opt-out without a wish counts as a stop word, and a wish without an opt-out as a start word', () => {
  const before = { opted_out_at: at(0), opt_out_wishes: null };
  expect(toOptOut(before)).toEqual({ scope: 'all', source: 'stop_word', at: '2026-11-21T12:00:00.000Z' });
  expect(toOptOut(apply(before, resumeMarketing(1)))?.scope).toBe('all');
  expect(toOptOut(apply(before, startWord(-60)))).toBeNull();
  const { opt_out_wishes } = apply(none, stopWord(1));
  expect(toOptOut({ opted_out_at: null, opt_out_wishes })).toBeNull();
  expect(toOptOut(apply({ opted_out_at: null, opt_out_wishes }, resumeMarketing(1)))).toBeNull();
});

test('an event tells each change of what the lead gets, and nothing else', () => {
  const out = (scope: 'all' | 'marketing') => ({ scope, source: 'stop_word' as const, at: at(0).toISOString() });
  const facts = (...[before, after]: Parameters<typeof optOutEvents> extends [string, ...infer R] ? R : never) =>
    optOutEvents('l', before, after).flatMap((entry) => (entry.kind === 'feed' ? [entry.type] : []));
  expect(facts(null, null)).toEqual([]);
  expect(facts(null, out('marketing'))).toEqual(['lead.opted_out']);
  expect(facts(out('marketing'), out('marketing'))).toEqual([]);
  expect(facts(out('marketing'), out('all'))).toEqual(['lead.opted_out']);
  expect(facts(out('all'), null)).toEqual(['lead.opted_in']);
});
