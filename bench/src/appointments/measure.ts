import { untilQuiet } from '../shared/backlog.ts';
import type { LoadResult } from '../shared/load/job.ts';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import { rotated } from '../shared/statistics.ts';
import { body, makeReadable, type PlatformTarget, type Stage, type Target } from './stage.ts';

export type Plan = {
  readonly rounds: number;
  /** The duration of each measurement. */
  readonly seconds: number;
  readonly concurrencies: readonly number[];
  /** The number of workflows in each drain. */
  readonly drained: number;
  readonly parts: readonly Part[];
};
export type Part = 'post' | 'get' | 'drain';

/** One server and operation, measured at some concurrencies. */
export type Variant = {
  readonly part: 'post' | 'get';
  readonly name: string;
  readonly concurrencies: readonly number[];
  readonly target: Target;
  readonly paths: readonly string[];
  readonly idempotencyKeys?: boolean;
  /** Whether bare workflows start meanwhile, as fast as Temporal takes them. */
  readonly besideWorkflows?: boolean;
  /** The platform where it leaves workflows, which must not slow down the next measurement. */
  readonly leavesBacklog?: PlatformTarget;
};

export type Measurement = LoadResult & {
  /** Processor time per request in milliseconds, by process. */
  readonly cpuMs: Readonly<Record<string, number>>;
};

/** The concurrency of the targets. Every variant is measured at it. */
export const mainConcurrency = 32;
const readableRows = 200;
const quietWithinMs = 30_000;

export const names = {
  platform: 'platform',
  unconnected: 'platform, no calendar connected',
  keyed: 'the same with Idempotency-Key',
  bare: 'bare Fastify + postgres.js',
  updateWithStart: 'Update-with-Start',
  transaction: 'bare Fastify + postgres.js, BEGIN and COMMIT',
  hop: 'bare Fastify → NATS → postgres.js',
  hopInTransaction: 'bare Fastify → NATS → postgres.js, BEGIN and COMMIT',
  floor: 'the same beside bare signal-with-starts and activities',
  other: 'platform of the other checkout',
} as const;

export async function variantsOf(stage: Stage, plan: Plan): Promise<Variant[]> {
  const { main, other, bare, hop, updateWithStart } = stage;
  const concurrencies = plan.concurrencies;
  const [read, readOther, readBare] = await Promise.all([
    makeReadable(main.withoutCalendar, readableRows),
    other === undefined ? [] : makeReadable(other.withoutCalendar, readableRows),
    makeReadable(bare, readableRows),
  ]);
  const post = (name: string, target: Target, more: Partial<Variant> = {}): Variant => ({
    part: 'post',
    name,
    concurrencies,
    target,
    paths: [target.path],
    ...more,
  });
  const get = (name: string, target: Target, paths: readonly string[]): Variant => ({
    part: 'get',
    name,
    concurrencies,
    target,
    paths,
  });
  const once = { concurrencies: [mainConcurrency] };
  const all = [
    post(names.platform, main.target, { leavesBacklog: main }),
    ...(other ? [post(names.other, other.target, { leavesBacklog: other })] : []),
    post(names.unconnected, main.withoutCalendar, { ...once, leavesBacklog: main }),
    post(names.keyed, main.withoutCalendar, { ...once, idempotencyKeys: true, leavesBacklog: main }),
    post(names.bare, bare),
    post(names.transaction, bare, { ...once, paths: [`${bare.path}/in-transaction`] }),
    post(names.hop, hop, once),
    post(names.hopInTransaction, hop, { ...once, paths: [`${hop.path}/in-transaction`] }),
    post(names.floor, hop, { ...once, paths: [`${hop.path}/in-transaction`], besideWorkflows: true }),
    post(names.updateWithStart, updateWithStart),
    get(names.platform, main.withoutCalendar, read),
    ...(other ? [get(names.other, other.withoutCalendar, readOther)] : []),
    get(names.bare, bare, readBare),
    get(names.hop, hop, readBare),
  ];
  return all.filter(({ part }) => plan.parts.includes(part));
}

export const keyOf = ({ part, name }: Pick<Variant, 'part' | 'name'>, concurrency: number): string =>
  `${part} ${concurrency} ${name}`;

/** All measurements, by `keyOf`, in the order of the rounds. */
export type Measurements = Map<string, Measurement[]>;

/** One round: every variant at every concurrency, one after another. */
export async function measureRound(
  stage: Stage,
  variants: readonly Variant[],
  plan: Plan,
  round: number,
  into: Measurements,
  say: (text: string) => void,
): Promise<void> {
  for (const part of ['get', 'post'] as const) {
    for (const concurrency of plan.concurrencies) {
      const taking = variants.filter((variant) => variant.part === part && variant.concurrencies.includes(concurrency));
      for (const variant of rotated(taking, round)) {
        const measured = await measure(stage, variant, concurrency, plan.seconds * 1000);
        const key = keyOf(variant, concurrency);
        into.set(key, [...(into.get(key) ?? []), measured]);
        say(`${part} × ${concurrency} ${variant.name}: ${Math.round(measured.perSecond)}/s`);
      }
    }
  }
}

/** Runs every variant without recording, so that its code is compiled and its connections are open. */
export async function warmUp(stage: Stage, variants: readonly Variant[], seconds: number): Promise<void> {
  for (const variant of variants) await measure(stage, variant, mainConcurrency, seconds * 1000);
}

async function measure(
  stage: Stage,
  { part, target, paths, idempotencyKeys, besideWorkflows, leavesBacklog }: Variant,
  concurrency: number,
  durationMs: number,
): Promise<Measurement> {
  if (besideWorkflows) await stage.temporalClient.call('keepWaking');
  const before = cpuOfAll(stage.processes);
  const result = await stage.load({
    origin: target.origin,
    method: part === 'post' ? 'POST' : 'GET',
    paths,
    headers: target.headers,
    ...(part === 'post' ? { body } : {}),
    idempotencyKeys,
    expectedStatus: part === 'post' ? 201 : 200,
    concurrency,
    warmUpMs: 500,
    durationMs,
  });
  const cpuMs = cpuMsEach(before, stage.processes, result.sent);
  if (besideWorkflows) await stage.temporalClient.call('stopWaking');
  if (leavesBacklog) {
    await leavesBacklog.backlog.discard();
    await untilQuiet(stage.processes, quietWithinMs);
    await leavesBacklog.backlog.discard();
  } else if (part === 'post') await untilQuiet(stage.processes, quietWithinMs);
  return { ...result, cpuMs };
}
