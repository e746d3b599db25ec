import { setTimeout as pause } from 'node:timers/promises';
import { awakeMs } from '@mostrador/testing/awake';
import type { Platform } from '../../apps/admin/src/platform.ts';
import { type Ended, runHere } from '../../apps/admin/test/run-here.ts';

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON, whose shape the assertions check
export type Json = any;

/** Runs an admin command that must succeed on a platform, and returns its JSON. */
export const adminOver = async (other: Platform, argv: readonly string[], input = ''): Promise<Json> =>
  jsonOf(argv, await runHere([...argv, '--json'], other, input));

/** The JSON of an admin command, which must have succeeded. */
export function jsonOf(argv: readonly string[], { out, err, exitCode }: Ended): Json {
  if (exitCode !== 0) throw new Error(`admin ${argv.join(' ')} exited with ${exitCode}: ${err}`);
  return JSON.parse(out);
}

/**
 * Repeats `ask` until `isEnough` accepts its answer. Throws with the last answer after `limitMs`, in which the time does
 * not count that the machine stands still.
 */
export async function eventually<T>(
  ask: () => Promise<T>,
  isEnough: (answer: T) => boolean,
  limitMs = 90_000,
): Promise<T> {
  const until = awakeMs() + limitMs;
  for (;;) {
    const answer = await ask();
    if (isEnough(answer)) return answer;
    if (awakeMs() > until)
      throw new Error(`no such answer within ${limitMs} ms; the last one: ${JSON.stringify(answer)}`);
    await pause(100);
  }
}

/** A full hour this many days ahead. */
export const daysAhead = (days: number): Date =>
  new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 + days * 86_400_000);
