import { expect, test } from 'vitest';
import { plural } from './plural.ts';

test.each(['en', 'es', 'pt-BR'])('in %s one is said as one, and any other count as several', (locale) => {
  const words = (count: number) =>
    plural(
      count,
      () => 'one',
      (input) => `several: ${input.count}`,
      locale,
    );
  expect([0, 1, 2, 21, 1_000_000].map(words)).toEqual([
    'several: 0',
    'one',
    'several: 2',
    'several: 21',
    'several: 1000000',
  ]);
});
