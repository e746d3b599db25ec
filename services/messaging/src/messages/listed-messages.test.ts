import { maxInboundBodyBytes, maxListedBodyLength } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { createTextBudget } from './listed-messages.ts';

test('a list shows long texts whole as long as there is room, then their beginnings, and short ones always', () => {
  const fit = createTextBudget();
  const long = '👋'.repeat(maxInboundBodyBytes / 4);
  const shown = Array.from({ length: 50 }, () => fit(long));
  expect(shown[0]).toBe(long);
  expect(shown.filter((text) => text === long)).toHaveLength(10);
  expect(shown.at(-1)).toBe('👋'.repeat(maxListedBodyLength));
  const short = 'é'.repeat(maxListedBodyLength);
  expect(fit(short)).toBe(short);
});
