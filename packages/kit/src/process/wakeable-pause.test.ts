import { expect, test } from 'vitest';
import { createWakeablePause } from './wakeable-pause.ts';

test('a wait ends after its time, or at a wake', async () => {
  const pause = createWakeablePause();
  expect(await pause.for(0)).toBe(true);
  const long = pause.for(600_000);
  pause.wake();
  expect(await long).toBe(false);
});

test('a wake without a wait, or after its end, changes nothing', async () => {
  const pause = createWakeablePause();
  pause.wake();
  expect(await pause.for(0)).toBe(true);
  pause.wake();
  expect(await pause.for(0)).toBe(true);
});
