import { afterEach, beforeEach } from 'vitest';
import './same-addresses.ts';
import { standstillAfter } from './standstill.ts';

// Vitest runs this file before each file of tests. A limit of the product, such as the deadline of a request, passes while
// the machine stands still. A test that fails then gets this error, and vitest.config.ts lets it run again.

/** Work of the test before, or of the set-up, may have lost an answer. */
const shortlyBeforeMs = 10_000;

let begunAt = 0;
beforeEach(() => {
  begunAt = Date.now();
});
afterEach(({ task }) => {
  const stillMs = standstillAfter(begunAt - shortlyBeforeMs);
  if (task.result?.state === 'fail' && stillMs > 0) {
    throw new Error(`The machine stood still for ${(stillMs / 1000).toFixed(1)} s`);
  }
});
