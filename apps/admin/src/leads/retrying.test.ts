import { AppError } from '@mostrador/kit/rpc/errors';
import { expect, test } from 'vitest';
import { createRetrying, PlatformAway } from './retrying.ts';

const failing = (times: number, error: () => Error) => {
  let calls = 0;
  return {
    call: async () => {
      if (++calls <= times) throw error();
      return calls;
    },
    calls: () => calls,
  };
};
const unavailable = () => new AppError('service_unavailable');

test('a failed call is retried until the platform answers', async () => {
  const told: string[] = [];
  const { signal } = new AbortController();
  const retrying = createRetrying({ giveUpAfterMs: 60_000, signal, onRetry: ({ code }) => void told.push(code) });
  expect(await retrying(failing(2, unavailable).call)).toBe(3);
  expect(told).toEqual(['service_unavailable', 'service_unavailable']);
});

test('a rejected call is not retried', async () => {
  const { signal } = new AbortController();
  const retrying = createRetrying({ giveUpAfterMs: 60_000, signal, onRetry: () => {} });
  const refused = failing(1, () => new AppError('validation_failed'));
  await expect(retrying(refused.call)).rejects.toMatchObject({ code: 'validation_failed' });
  expect(refused.calls()).toBe(1);
});

test('retries stop after the time limit without an answer, and at once after an interrupt', async () => {
  const abort = new AbortController();
  const impatient = createRetrying({ giveUpAfterMs: 300, signal: abort.signal, onRetry: () => {} });
  await expect(impatient(failing(Number.POSITIVE_INFINITY, unavailable).call)).rejects.toThrow(PlatformAway);
  const patient = createRetrying({ giveUpAfterMs: 60_000, signal: abort.signal, onRetry: () => abort.abort() });
  await expect(patient(failing(Number.POSITIVE_INFINITY, unavailable).call)).rejects.toThrow(PlatformAway);
});
