import { expect } from 'vitest';

/**
 * Expects that the code under test chose a moment at least `least` and at most `most` seconds ahead. It chose it between
 * `sinceMs` (epoch ms) and now. So a machine that stands still makes the check weaker, and never fails it.
 */
export function expectDelay(
  timestamp: string | null,
  { sinceMs, least, most }: { sinceMs: number; least: number; most: number },
): void {
  const atMs = Date.parse(String(timestamp));
  expect(atMs).toBeGreaterThanOrEqual(sinceMs + least * 1000);
  expect(atMs).toBeLessThanOrEqual(Date.now() + most * 1000);
}
