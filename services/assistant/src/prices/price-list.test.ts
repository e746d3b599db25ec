import { ConfigError } from '@mostrador/kit/process/config';
import { describe, expect, test } from 'vitest';
import { openPriceList, toPriceList } from './price-list.ts';

const price = (from: string, input: unknown, more: object = { output: 2 }, model = 'openai/gpt-5-mini') => ({
  ...{ model, from, input },
  ...more,
});
const prices = [price('2026-10-01', 0.5), price('2026-01-01', 0.25), price('2026-01-01', 0.02, {}, 'embedder/bge-m3')];
const file = (some: unknown, currency = 'USD') => JSON.stringify({ currency, prices: some });

describe('the cost of a call', () => {
  const list = toPriceList(file(prices));
  const on = (day: string) => new Date(`${day}T12:00:00Z`);
  test.each([
    ['is that of its tokens, by a million', 'openai/gpt-5-mini', '2026-09-30', [1_000_000, 500_000], 1_250_000],
    ['has the latest price that has begun', 'openai/gpt-5-mini', '2026-10-01', [1_000_000, 0], 500_000],
    ['is rounded up', 'openai/gpt-5-mini', '2026-10-01', [1, 0], 1],
    ['has no answer in an embedder', 'embedder/bge-m3', '2026-10-01', [1_000_000, undefined], 20_000],
    ['is nothing of the demo model', 'demo', '2026-10-01', [undefined, undefined], 0],
    ['is not known before the first price', 'openai/gpt-5-mini', '2025-12-31', [1, 1], undefined],
    ['is not known of another model', 'openai/gpt-5', '2026-10-01', [1, 1], undefined],
    ['is not known without its tokens', 'openai/gpt-5-mini', '2026-10-01', [1, undefined], undefined],
  ] as const)('%s', (_, model, day, [inputTokens, outputTokens], micros) => {
    expect(list.costOf(model, { inputTokens, outputTokens }, on(day))).toBe(micros);
  });
});

const log = { info: () => {}, error: () => {} };

test('the example in the repository is valid', () => {
  const path = `${import.meta.dirname}/../../../../docs/operations/model-prices.example.json`;
  expect(openPriceList(path)(log).currency).toBe('XTS');
});

test.each([
  ['without prices', file([]), '#/prices must'],
  ['without a currency', file(prices, 'dollars'), '#/currency does not'],
  ['with a negative amount', file([price('2026-10-01', -1)]), '#/prices/0/input must'],
  ['without the price of answers', file([price('2026-10-01', 1, {})]), '#/prices/0/output is required'],
  [
    'with answers of an embedder',
    file([price('2026-10-01', 1, { output: 1 }, 'embedder/m')]),
    '#/prices/0/output is not for an embedder',
  ],
  ['with a model without its provider', file([price('2026-10-01', 1, { output: 1 }, 'gpt-5')]), '#/prices/0/model'],
  ['with a day that is none', file([price('2026-02-30', 1)]), '#/prices/0/from must be a real date'],
  ['with a price twice', file([prices[0], prices[0]]), '#/prices/1 repeats'],
])('a file %s is rejected and says why', (_, text, fault) => {
  expect(() => toPriceList(text)).toThrow(ConfigError);
  expect(() => toPriceList(text)).toThrow(fault);
});
