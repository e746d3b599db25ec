import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@mostrador/kit/process/config';
import { describe, expect, test, vi } from 'vitest';
import { openRateCard, toRateCard, withAmount } from './rate-card.ts';

const rate = (market: string, category: string, from: string, amount: unknown) => ({ market, category, from, amount });
const rates = [
  rate('*', 'marketing', '2026-01-01', 0.06),
  rate('55', 'marketing', '2026-01-01', 0.0625),
  rate('55', 'marketing', '2026-10-01', 0.07),
  rate('551', 'marketing', '2027-01-01', 0.08),
  rate('55', 'service', '2026-10-01', 0.005),
];
const card = toRateCard(JSON.stringify({ currency: 'USD', rates }));

describe('the rate of a message', () => {
  const on = (day: string) => new Date(`${day}T12:00:00Z`);
  test.each([
    ['is that of the longest market', '5531900000000', 'marketing', '2026-01-01', 0.0625],
    ['is the latest that has begun', '5531900000000', 'marketing', '2026-10-01', 0.07],
    ['is that of a shorter market until the longer one begins', '5511900000000', 'marketing', '2026-12-31', 0.07],
    ['begins with its day', '5511900000000', 'marketing', '2027-01-01', 0.08],
    ['is that of every other number', '351900000000', 'marketing', '2026-12-31', 0.06],
    ['is that of every other number for a customer without one', undefined, 'marketing', '2026-12-31', 0.06],
    ['is not known before the first one', '5531900000000', 'marketing', '2025-12-31', undefined],
    ['is not known in another market', '351900000000', 'service', '2026-12-31', undefined],
    ['is not known of another category', '5531900000000', 'utility', '2026-12-31', undefined],
  ])('%s', (_, phone, category, day, amount) => {
    expect(card.rateOf(phone, category, on(day))).toBe(amount);
  });

  test('is the amount of what is billed, and what is free costs nothing', () => {
    const pricing = { category: 'service', type: null, model: null, amount: null, currency: null };
    const update = {
      providerMessageId: 'wamid.1',
      callbackData: null,
      status: 'delivered',
      at: on('2026-11-01'),
    } as const;
    const priced = (billable: boolean, recipient = '5531900000000') =>
      withAmount(card, { ...update, recipient, pricing: { ...pricing, billable } }).pricing;
    expect(priced(true)).toMatchObject({ amount: 0.005, currency: 'USD' });
    expect(priced(false)).toMatchObject({ amount: 0, currency: 'USD' });
    expect(priced(true, '351900000000')).toMatchObject({ amount: null, currency: 'USD' });
    expect(withAmount(card, update)).toEqual(update);
    const unpriced = { ...update, pricing: { ...pricing, billable: false } };
    expect(withAmount(undefined, unpriced)).toEqual(unpriced);
  });
});

test('the example in the repository is valid', () => {
  const path = `${import.meta.dirname}/../../../../docs/operations/whatsapp-rates.example.json`;
  expect(openRateCard(path)({ info: vi.fn(), error: vi.fn() })).toMatchObject({
    currency: 'XTS',
    freeServiceMessages: 1000,
  });
});

const file = (some: unknown, currency = 'USD') => JSON.stringify({ currency, rates: some });
test.each([
  ['that is not JSON', '{', 'is not JSON'],
  ['without rates', file([]), '#/rates must'],
  ['without a currency', file(rates, 'dollars'), '#/currency does not'],
  ['with a negative amount', file([rate('55', 'service', '2026-10-01', -1)]), '#/rates/0/amount must'],
  ['with an amount as text', file([rate('55', 'service', '2026-10-01', '1')]), '#/rates/0/amount must'],
  ['with an amount of too many decimals', file([rate('55', 'service', '2026-10-01', 0.0000001)]), 'at most 6 decimals'],
  ['with a country instead of its code', file([rate('BR', 'service', '2026-10-01', 1)]), '#/rates/0/market does not'],
  ['with a day that is none', file([rate('55', 'service', '2026-02-30', 1)]), '#/rates/0/from must be a real date'],
  ['with a rate twice', file([rates[0], rates[0]]), '#/rates/1 repeats'],
  [
    'with free messages that are no number',
    JSON.stringify({ currency: 'USD', rates, free_service_messages: '1' }),
    '#/free_service_messages must',
  ],
  ['with another member', file([{ ...rates[0], price: 1 }]), '#/rates/0/price is not a member'],
])('a file %s is rejected and says why', (_, text, fault) => {
  expect(() => toRateCard(text)).toThrow(ConfigError);
  expect(() => toRateCard(text)).toThrow(fault);
});

test('a changed file is read while the process runs, and one that is not valid leaves the rates as they were', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'rates-')), 'rates.json');
  const write = (text: string, second: number) => {
    writeFileSync(path, text);
    utimesSync(path, second, second);
  };
  write(file(rates), 1);
  const log = { info: vi.fn(), error: vi.fn() };
  const followed = openRateCard(path, 0)(log);
  expect(followed.currency).toBe('USD');
  write(file([rate('*', 'service', '2026-01-01', 0.5)], 'BRL'), 2);
  expect(followed.currency).toBe('BRL');
  rmSync(path);
  expect(followed.rateOf('351900000000', 'service', new Date('2026-12-31'))).toBe(0.5);
  write('{}', 3);
  expect(followed.currency).toBe('BRL');
  expect([log.info.mock.calls.length, log.error.mock.calls.length]).toEqual([1, 2]);
});

test('a file that is not there is rejected', () => {
  expect(() => openRateCard('/nowhere/rates.json')).toThrow('cannot be read (ENOENT)');
});
