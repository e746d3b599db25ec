import { root } from '@mostrador/local-platform/paths';
import type { Measurement } from '../appointments/measure.ts';
import type { BenchmarkOptions, BenchmarkRun } from '../shared/benchmark.ts';
import type { LoadJob } from '../shared/load/job.ts';
import { startLoad } from '../shared/load/start-load.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { type Platform, startPlatform } from '../shared/platform.ts';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import { processorMs, processorTime } from '../shared/processor-time.ts';
import { perSecond, type Report, ratioCell, settingsOf } from '../shared/report.ts';
import { rotated } from '../shared/statistics.ts';
import { openAll } from '../shared/stops.ts';
import { table } from '../shared/table.ts';
import { type Filled, fillLeads } from './fill.ts';
import { type Imported, measureImport } from './import.ts';
import { pageAfter } from './lists.ts';
import { statusChanges } from './measure.ts';

const leads = 10_000;
const importedRows = 20_000;
const createdAtMost = 20_000;
const prefix = '/integrations/v1';

type Side = {
  readonly name: 'before' | 'after';
  readonly checkout: string;
  readonly platform: Platform;
  readonly key: string;
  readonly filled: Filled;
};
type BySide<T> = Record<Side['name'], T[]>;
const bySide = <T>(): BySide<T> => ({ before: [], after: [] });

export const comparedParts = ['get', 'list', 'next', 'patch', 'post', 'import'] as const;
type Part = (typeof comparedParts)[number];

export type AgainstOptions = BenchmarkOptions & { readonly only?: readonly Part[] };

type Job = Pick<LoadJob, 'method' | 'paths' | 'bodies' | 'expectedStatus'>;
type Call = {
  readonly title: string;
  readonly jobOf: (side: Side) => Job | Promise<Job>;
};
/** Calls that every version answers. */
const calls: Record<Exclude<Part, 'import'>, Call> = {
  get: {
    title: 'GET /leads/{id}',
    jobOf: ({ filled }) => ({ method: 'GET', paths: pathsOf(filled), expectedStatus: 200 }),
  },
  list: {
    title: 'GET /leads?limit=50',
    jobOf: () => ({ method: 'GET', paths: [`${prefix}/leads?limit=50`], expectedStatus: 200 }),
  },
  next: {
    title: 'its second page, by cursor',
    jobOf: async ({ platform, key }) => {
      const target = { origin: platform.origin, path: `${prefix}/leads`, headers: { 'X-API-Key': key } };
      return { method: 'GET', paths: [(await pageAfter(target, 1)).page], expectedStatus: 200 };
    },
  },
  patch: {
    title: 'PATCH /leads/{id}',
    jobOf: ({ filled }) => ({ method: 'PATCH', paths: pathsOf(filled), bodies: statusChanges, expectedStatus: 200 }),
  },
  post: {
    title: 'POST /leads',
    jobOf: () => ({ method: 'POST', paths: [`${prefix}/leads`], bodies: newLeads(createdAtMost), expectedStatus: 201 }),
  },
};

const pathsOf = ({ leadIds }: Filled) => leadIds.map((id) => `${prefix}/leads/${id}`);

let phones = 0;
const newLeads = (count: number) =>
  Array.from({ length: count }, () =>
    JSON.stringify({ name: 'Maria da Silva', customer_phone: String(5_511_600_000_000 + ++phones) }),
  );

/** `npm run bench -- crm --against <folder>`: the same calls to that checkout and to this one, in turn. */
export async function measureAgainst(
  before: string,
  { quick, rounds = quick ? 1 : 10, seconds = quick ? 1 : 3, only = comparedParts }: AgainstOptions,
  { say, signal }: BenchmarkRun,
): Promise<Report> {
  const quietness = watchMachine();
  const chosen = only.flatMap((part) => (part === 'import' ? [] : [calls[part]]));
  say('Starting both platforms.');
  const stage = await openAll(async (stops) => {
    const open = async (name: Side['name'], checkout: string): Promise<Side> => {
      const platform = await startPlatform(checkout);
      stops.push(platform.stop);
      const { id, key } = await platform.newStore({});
      return { name, checkout, platform, key, filled: await fillLeads(platform.databaseUrl, id, leads) };
    };
    const [old, own] = [await open('before', before), await open('after', root)];
    return { sides: [old, own], own, load: await startLoad(stops) };
  });
  const measure = async (call: Call, side: Side, durationMs: number): Promise<Measurement> => {
    const { processes, origin } = side.platform;
    const job = await call.jobOf(side);
    const used = cpuOfAll(processes);
    const result = await stage.load({
      ...job,
      origin,
      headers: { 'X-API-Key': side.key },
      ...{ concurrency: 8, warmUpMs: 200, durationMs },
    });
    return { ...result, cpuMs: cpuMsEach(used, processes, result.sent) };
  };

  try {
    const machine = await describeMachine(stage.own.platform);
    say('Warming up.');
    for (const call of chosen) for (const side of stage.sides) await measure(call, side, 1000);
    const measured = new Map(chosen.map((call) => [call, bySide<Measurement>()]));
    const imported = bySide<Imported>();
    for (let round = 0; round < rounds; round++) {
      signal.throwIfAborted();
      say(`Round ${round + 1} of ${rounds}.`);
      for (const [call, found] of measured) {
        for (const side of rotated(stage.sides, round)) {
          const result = await measure(call, side, seconds * 1000);
          found[side.name].push(result);
          say(`${call.title}, ${side.name}: ${Math.round(result.perSecond)}/s`);
        }
      }
      for (const { name, checkout, platform } of only.includes('import') ? rotated(stage.sides, round) : []) {
        imported[name].push(await measureImport(checkout, platform, importedRows));
        say(`import, ${name}: ${Math.round(imported[name].at(-1)?.platform ?? 0)} rows/s`);
      }
    }
    const turns = `${rounds} rounds of ${seconds} s; both versions run all the time and take turns`;
    const columns = [...measured].flatMap(([{ title }, found]) => [
      { title: `${title}, before`, measured: found.before },
      { title: 'after', measured: found.after },
    ]);
    return {
      settings: settingsOf(turns, quietness),
      machine,
      sections: [
        ['After ÷ before', ratiosOf(measured, imported)],
        ...(columns.length > 0
          ? [['Processor time for one request, in milliseconds', processorTime(columns)] as const]
          : []),
      ],
    };
  } finally {
    say('Stopping.');
    await stage.stop();
  }
}

function ratiosOf(measured: ReadonlyMap<Call, BySide<Measurement>>, { before, after }: BySide<Imported>): string {
  const rowsPerSecond = (of: 'platform' | 'again') =>
    ratioCell(
      after.map((each) => each[of]),
      before.map((each) => each[of]),
    );
  return table(
    ['call', 'per second', 'processor time of all processes for one'],
    [
      ...[...measured].map(([{ title }, found]) => [
        title,
        ratioCell(perSecond(found.after), perSecond(found.before)),
        ratioCell(found.after.map(processorMs), found.before.map(processorMs)),
      ]),
      ...(after.length > 0
        ? [
            ['`admin lead import`, rows', rowsPerSecond('platform'), ''],
            ['the same file again, rows', rowsPerSecond('again'), ''],
          ]
        : []),
    ],
  );
}
