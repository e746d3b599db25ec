import { setTimeout as pause } from 'node:timers/promises';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import type { ReadJob, ReadResult } from './reader.ts';
import { createLeads, type EventsStage } from './stage.ts';

export const readers = ['long polls', 'the stream'] as const;

export type Follow = ReadResult & {
  readonly by: ReadJob['by'];
  /** Writes answered per second, and their latency. */
  readonly perSecond: number;
  readonly writeP99Ms: number;
  readonly cpuMs: Readonly<Record<string, number>>;
};

const lateMs = 30_000;
const apiPrefix = '/integrations/v1';

/** Creates leads at a steady rate, while a reader follows the feed of the store. */
export async function follow(
  stage: EventsStage,
  { by, rate, seconds }: { by: ReadJob['by']; rate: number; seconds: number },
): Promise<Follow> {
  const { platform, store, reader, processes } = stage;
  const count = rate * seconds;
  const limitMs = seconds * 1000 + lateMs;
  const baseUrl = `${platform.origin}${apiPrefix}`;
  await reader.call('start', { baseUrl, key: store.key, by, events: count, limitMs } satisfies ReadJob);
  const before = cpuOfAll(processes);
  const written = await createLeads(stage, { stores: [store], rate, seconds });
  const cpuMs = cpuMsEach(before, processes, written.sent);
  const read = await Promise.race([reader.call<ReadResult>('result'), pause(limitMs, undefined, { ref: false })]);
  if (!read) throw new Error('the reader did not end');
  return { ...read, by, perSecond: written.perSecond, writeP99Ms: written.all.p99Ms, cpuMs };
}
