import { setTimeout as pause } from 'node:timers/promises';
import { untilQuiet } from '../shared/backlog.ts';
import { rotated } from '../shared/statistics.ts';
import { body, type PlatformTarget, type Stage } from './stage.ts';

/** Completed workflows per second, by round. */
export type Drains = { platform: number[]; other: number[]; bare: number[] };

const lookEveryMs = 50;
const limitMs = 120_000;

/**
 * Measures how fast a backlog drains without other load. The relay wakes each of the platform's workflows, which makes
 * one step: a request to scheduling with two transactions. The same call wakes a bare workflow. Its step does nothing.
 */
export async function drainRound(stage: Stage, count: number, round: number, into: Drains): Promise<void> {
  const { other } = stage;
  const variants = rotated(
    [
      async () => void into.platform.push(await drainPlatform(stage, stage.main, count)),
      async () => void into.bare.push(await drainBare(stage, count)),
      ...(other ? [async () => void into.other.push(await drainPlatform(stage, other, count))] : []),
    ],
    round,
  );
  for (const variant of variants) {
    await variant();
    await untilQuiet(stage.processes, 10_000);
  }
}

async function drainPlatform(stage: Stage, { target, backlog }: PlatformTarget, count: number): Promise<number> {
  await stage.load({
    origin: target.origin,
    method: 'POST',
    paths: [target.path],
    headers: target.headers,
    body,
    expectedStatus: 201,
    concurrency: 32,
    warmUpMs: 0,
    durationMs: limitMs,
    requests: count,
  });
  const left = await backlog.waiting();
  const since = performance.now();
  await until(async () => (await backlog.waiting()) === 0);
  return left / ((performance.now() - since) / 1000);
}

async function drainBare({ temporalClient, temporalWorker }: Stage, count: number): Promise<number> {
  const before = await temporalWorker.call<number>('stepsDone');
  const since = performance.now();
  await Promise.all([
    temporalClient.call('wakeMany', count),
    until(async () => (await temporalWorker.call<number>('stepsDone')) - before >= count),
  ]);
  return count / ((performance.now() - since) / 1000);
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + limitMs;
  while (!(await isDone())) {
    if (performance.now() > limit) throw new Error(`a backlog did not drain within ${limitMs / 1000} s`);
    await pause(lookEveryMs);
  }
}
