import { firstResponseBucketSeconds } from '@mostrador/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ConversationFacts, conversationFacts, toConversationCounts } from './conversation-counts.ts';

const bucketOf = (seconds: number): number => {
  const found = firstResponseBucketSeconds.findIndex((limit) => seconds <= limit);
  return found === -1 ? firstResponseBucketSeconds.length : found;
};

/** The facts of sessions with these response times. */
function eventsOf(milliseconds: readonly number[]): ConversationFacts {
  const facts = Object.fromEntries(conversationFacts.map((metric) => [metric, 0])) as Record<string, number>;
  for (const ms of milliseconds) {
    const metric = `response_le_${bucketOf(ms / 1000)}`;
    facts[metric] = (facts[metric] as number) + 1;
    facts.response_ms = (facts.response_ms as number) + ms;
  }
  return facts as ConversationFacts;
}
const responses = (milliseconds: readonly number[]) =>
  toConversationCounts(eventsOf(milliseconds), null).first_response_seconds;

test('without a response there are no percentiles and no average', () => {
  expect(responses([])).toEqual({ p50: null, p90: null, average: null });
});

test('what has a price is never negative, also over a quarter-hour that a process without prices has closed', () => {
  const closed = { billed_service_ai: -2, amount_service_ai: -500_000, without_rate: -1, billed_utility_api: 3 };
  const counts = toConversationCounts({ ...eventsOf([]), ...closed }, 'XTS');
  expect(counts.messages_priced?.billable).toMatchObject({ service: { ai: 0 }, utility: { api: 3 } });
  expect(counts.messages_cost).toMatchObject({ amount: 0, without_rate: 0, amounts: { service: { ai: 0 } } });
});

test('a percentile is the upper limit of the bucket that holds its rank', () => {
  expect(responses([400])).toEqual({ p50: 1, p90: 1, average: 0.4 });
  expect(responses([1000, 1001])).toEqual({ p50: 1, p90: 2, average: 1.001 });
  expect(responses([...Array(9).fill(4000), 90_000])).toMatchObject({ p50: 5, p90: 5 });
  expect(responses([...Array(8).fill(4000), 90_000, 90_001])).toMatchObject({ p50: 5, p90: 90 });
});

test('a response that took longer than every limit counts as the last limit', () => {
  expect(responses([604_800_001])).toEqual({ p50: 604_800, p90: 604_800, average: 604_800.001 });
});

test('a percentile is the upper limit of the bucket of the exact one', () => {
  const times = fc.array(fc.integer({ min: 0, max: 604_800_000 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(times, (milliseconds) => {
      const sorted = [...milliseconds].sort((a, b) => a - b);
      const { p50, p90 } = responses(milliseconds);
      for (const [shown, share] of [
        [p50, 0.5],
        [p90, 0.9],
      ] as const) {
        const real = (sorted[Math.ceil(sorted.length * share) - 1] as number) / 1000;
        expect(shown).toBe(firstResponseBucketSeconds[bucketOf(real)]);
      }
    }),
  );
});

test.each([
  [
    'is the sum of the known rates',
    'XTS',
    { billed_utility_api: 3, amount_utility_api: 250_000, without_rate: 1 },
    0.25,
  ],
  ['is null when no billed message has a rate', 'XTS', { billed_utility_api: 2, without_rate: 2 }, null],
  [
    'is null then also beside free messages',
    'XTS',
    { billed_utility_api: 1, free_service_ai: 3, without_rate: 1 },
    null,
  ],
  ['is 0 for free messages alone', 'XTS', { free_service_ai: 2 }, 0],
  ['is 0 without messages', 'XTS', {}, 0],
  ['is null without a rate file', null, { free_service_ai: 2 }, null],
])('what messages cost %s', (_, currency, facts, amount) => {
  const { messages_cost } = toConversationCounts({ ...eventsOf([]), ...facts }, currency);
  expect(messages_cost).toMatchObject({ currency, amount });
});
