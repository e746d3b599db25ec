import { maxInboundBodyBytes, maxListedBodyLength } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { createBudget } from './listed-messages.ts';

test('a list shows long texts whole as long as there is room, then their beginnings, and short ones always', () => {
  const fit = createBudget();
  const long = '👋'.repeat(maxInboundBodyBytes / 4);
  const shown = Array.from({ length: 50 }, () => fit.text(long));
  expect(shown[0]).toBe(long);
  expect(shown.filter((text) => text === long)).toHaveLength(10);
  expect(shown.at(-1)).toBe('👋'.repeat(maxListedBodyLength));
  const short = 'é'.repeat(maxListedBodyLength);
  expect(fit.text(short)).toBe(short);
});

test('a list shows large contents as long as there is room, then that there is one, and small ones always', () => {
  const fit = createBudget();
  const large = { kind: 'flow' as const, fields: { answer: 'x'.repeat(10_000) } };
  const shown = Array.from({ length: 100 }, () => fit.content(large));
  expect(shown[0]).toBe(large);
  expect(shown.at(-1)).toEqual({ truncated: true });
  const small = { latitude: 1, longitude: 2 };
  expect(fit.content(small)).toBe(small);
  expect(fit.content(null)).toBeNull();
});
