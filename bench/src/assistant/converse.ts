import { setTimeout as pause } from 'node:timers/promises';
import type { Peer } from '@mostrador/local-platform/peer';
import type { Prepared } from '../shared/load/job.ts';

/** A message of a customer that got its answer. Times are in milliseconds since 1970. */
export type Answered = { readonly index: number; readonly writtenAt: number; readonly arrivedAt: number };

export type Conversations = {
  readonly origin: string;
  /** The customer at this index writes next. The customers take turns. */
  readonly phones: readonly string[];
  write(index: number): Prepared;
  readonly outside: Peer;
  readonly atOnce: number;
  /** The conversations begin evenly spread over this time: people do not write in the same moment. */
  readonly spreadMs: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
};

/**
 * Holds `atOnce` conversations at a time: in each a customer writes and waits for the answer, then the next customer writes.
 * Returns those that began after the warm-up, and how many were held in all.
 */
export async function converse(plan: Conversations): Promise<{ measured: Answered[]; count: number }> {
  const { origin, phones, write, outside, atOnce, spreadMs, warmUpMs, durationMs } = plan;
  const from = Date.now() + warmUpMs;
  const until = from + durationMs;
  const answered: Answered[] = [];
  let next = 0;
  const hold = async (place: number) => {
    await pause((place / atOnce) * spreadMs);
    while (Date.now() < until) {
      const index = next++;
      const phone = phones[index % phones.length] as string;
      const { path, headers, body } = write(index);
      const writtenAt = Date.now();
      const response = await fetch(`${origin}${path}`, { method: 'POST', headers, body });
      if (response.status !== 200) throw new Error(`a webhook was answered ${response.status}`);
      await response.arrayBuffer();
      answered.push({ index, writtenAt, arrivedAt: await outside.call<number>('answered', phone) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, place) => hold(place)));
  return {
    measured: answered.filter(({ writtenAt }) => writtenAt >= from && writtenAt < until),
    count: answered.length,
  };
}
