import { expect, test } from 'vitest';
import { createRest } from './rest.ts';

test('a wait ends after its time, or at a wake', async () => {
  const rest = createRest();
  expect(await rest.for(0)).toBe(true);
  const long = rest.for(600_000);
  rest.wake();
  expect(await long).toBe(false);
});

test('a wake without a wait, or after its end, changes nothing', async () => {
  const rest = createRest();
  rest.wake();
  expect(await rest.for(0)).toBe(true);
  rest.wake();
  expect(await rest.for(0)).toBe(true);
});
