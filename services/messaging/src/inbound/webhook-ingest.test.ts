import { afterEach, expect, test, vi } from 'vitest';
import { createWebhookIngest, type WebhookIngestOptions } from './webhook-ingest.ts';

afterEach(() => void vi.useRealTimers());

function openIngest(options: Partial<WebhookIngestOptions> = {}) {
  const abort = new AbortController();
  let taken = 0;
  const ingest = createWebhookIngest({ onIngested: () => (taken += 1), signal: abort.signal, calmMs: 5, ...options });
  const works: PromiseWithResolvers<void>[] = [];
  return {
    abort,
    taken: () => taken,
    begin(count: number) {
      const begun = Array.from({ length: count }, () => Promise.withResolvers<void>());
      works.push(...begun);
      return Promise.allSettled(begun.map(({ promise }) => ingest.ingest(() => promise)));
    },
    endAll: () => works.splice(0).forEach(({ resolve }) => void resolve()),
    /** `came` becomes true when `turn` resolves. */
    turn() {
      const asked = { came: false };
      void ingest.turn().then(() => {
        asked.came = true;
      });
      return asked;
    },
  };
}

test('a few webhooks do not delay processing, and a burst does until it ends', async () => {
  const ingest = openIngest();
  void ingest.begin(4);
  const passing = ingest.turn();
  await expect.poll(() => passing.came).toBe(true);
  const all = ingest.begin(1);
  const held = ingest.turn();
  await Promise.resolve();
  expect(held.came).toBe(false);
  ingest.endAll();
  await all;
  await expect.poll(() => held.came).toBe(true);
  expect(ingest.taken()).toBe(5);
});

test('an endless burst delays processing at most for the limit', async () => {
  const ingest = openIngest({ longestBurstMs: 50 });
  void ingest.begin(10);
  const held = ingest.turn();
  await expect.poll(() => held.came).toBe(true);
  const later = ingest.turn();
  await expect.poll(() => later.came).toBe(true);
  ingest.endAll();
});

test('repeated bursts delay processing for at most half of the time', async () => {
  vi.useFakeTimers();
  const ingest = openIngest({ longestBurstMs: 1_000 });
  void ingest.begin(10);
  const held = ingest.turn();
  await vi.advanceTimersByTimeAsync(999);
  expect(held.came).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(held.came).toBe(true);
  ingest.endAll();
  await vi.advanceTimersByTimeAsync(900);
  void ingest.begin(10);
  const next = ingest.turn();
  await vi.advanceTimersByTimeAsync(0);
  expect(next.came).toBe(true);
  await vi.advanceTimersByTimeAsync(200);
  const later = ingest.turn();
  await vi.advanceTimersByTimeAsync(0);
  expect(later.came).toBe(false);
  ingest.endAll();
});

test('a shutdown ends the wait of a batch', async () => {
  const ingest = openIngest();
  void ingest.begin(10);
  const held = ingest.turn();
  ingest.abort.abort();
  await expect.poll(() => held.came).toBe(true);
  ingest.endAll();
});

test('a webhook that could not be stored does not start processing', async () => {
  const ingest = createWebhookIngest({ onIngested: () => expect.unreachable(), signal: new AbortController().signal });
  await expect(ingest.ingest(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
});
