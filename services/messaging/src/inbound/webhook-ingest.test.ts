import { afterEach, expect, test, vi } from 'vitest';
import { createIntake, type IntakeOptions } from './webhook-ingest.ts';

afterEach(() => void vi.useRealTimers());

function openIntake(options: Partial<IntakeOptions> = {}) {
  const abort = new AbortController();
  let taken = 0;
  const intake = createIntake({ onTakenIn: () => (taken += 1), signal: abort.signal, calmMs: 5, ...options });
  const works: PromiseWithResolvers<void>[] = [];
  return {
    abort,
    taken: () => taken,
    begin(count: number) {
      const begun = Array.from({ length: count }, () => Promise.withResolvers<void>());
      works.push(...begun);
      return Promise.allSettled(begun.map(({ promise }) => intake.takeIn(() => promise)));
    },
    endAll: () => works.splice(0).forEach(({ resolve }) => void resolve()),
    /** Whether the turn has come. */
    turn() {
      const asked = { came: false };
      void intake.turn().then(() => {
        asked.came = true;
      });
      return asked;
    },
  };
}

test('what comes in in passing holds nothing up; a burst is answered first', async () => {
  const intake = openIntake();
  void intake.begin(4);
  const passing = intake.turn();
  await expect.poll(() => passing.came).toBe(true);
  const all = intake.begin(1);
  const held = intake.turn();
  await Promise.resolve();
  expect(held.came).toBe(false);
  intake.endAll();
  await all;
  await expect.poll(() => held.came).toBe(true);
  expect(intake.taken()).toBe(5);
});

test('a burst that does not end holds processing up no longer than it may', async () => {
  const intake = openIntake({ longestBurstMs: 50 });
  void intake.begin(10);
  const held = intake.turn();
  await expect.poll(() => held.came).toBe(true);
  const later = intake.turn();
  await expect.poll(() => later.came).toBe(true);
  intake.endAll();
});

test('one burst after another does not hold processing up for more than half of the time', async () => {
  vi.useFakeTimers();
  const intake = openIntake({ longestBurstMs: 1_000 });
  void intake.begin(10);
  const held = intake.turn();
  await vi.advanceTimersByTimeAsync(999);
  expect(held.came).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(held.came).toBe(true);
  intake.endAll();
  await vi.advanceTimersByTimeAsync(900);
  void intake.begin(10);
  const next = intake.turn();
  await vi.advanceTimersByTimeAsync(0);
  expect(next.came).toBe(true);
  await vi.advanceTimersByTimeAsync(200);
  const later = intake.turn();
  await vi.advanceTimersByTimeAsync(0);
  expect(later.came).toBe(false);
  intake.endAll();
});

test('whoever waits for a turn goes on when the process stops', async () => {
  const intake = openIntake();
  void intake.begin(10);
  const held = intake.turn();
  intake.abort.abort();
  await expect.poll(() => held.came).toBe(true);
  intake.endAll();
});

test('what could not be taken in is nothing to be processed', async () => {
  const intake = createIntake({ onTakenIn: () => expect.unreachable(), signal: new AbortController().signal });
  await expect(intake.takeIn(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
});
