import { setTimeout as pause } from 'node:timers/promises';
import type { MixedKind, OpenLoadJob, OpenLoadResult } from '../shared/load/open-load.ts';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import type { ReadJob, ReadResult } from './reader.ts';
import { type EventsStage, newLeads } from './stage.ts';

export const readers = ['long polls', 'the stream'] as const;

export type Follow = ReadResult & {
  readonly by: ReadJob['by'];
  /** Writes answered per second, and their latency. */
  readonly perSecond: number;
  readonly writeP99Ms: number;
  readonly cpuMs: Readonly<Record<string, number>>;
};

const connections = 32;
const lateMs = 30_000;
const apiPrefix = '/integrations/v1';

/** Creates leads at a steady rate, while a reader follows the feed of the store. */
export async function follow(
  stage: EventsStage,
  { by, rate, seconds }: { by: ReadJob['by']; rate: number; seconds: number },
): Promise<Follow> {
  const { platform, store, reader, load, processes } = stage;
  const count = rate * seconds;
  const limitMs = seconds * 1000 + lateMs;
  const baseUrl = `${platform.origin}${apiPrefix}`;
  await reader.call('start', { baseUrl, key: store.key, by, events: count, limitMs } satisfies ReadJob);
  const kind = {
    ...{ name: 'create a lead', share: 1, method: 'POST', path: `${apiPrefix}/leads`, bodies: newLeads(count) },
  } satisfies MixedKind;
  const before = cpuOfAll(processes);
  const written = await load.call<OpenLoadResult>('runOpen', {
    ...{ origin: platform.origin, kinds: [kind], callers: [{ key: store.key, leads: [''] }], perSecond: rate },
    ...{ connections, warmUpMs: 0, durationMs: seconds * 1000, seed: 1 },
  } satisfies OpenLoadJob);
  const cpuMs = cpuMsEach(before, processes, written.sent);
  const read = await Promise.race([reader.call<ReadResult>('result'), pause(limitMs, undefined, { ref: false })]);
  if (!read) throw new Error('the reader did not end');
  return { ...read, by, perSecond: written.perSecond, writeP99Ms: written.all.p99Ms, cpuMs };
}
