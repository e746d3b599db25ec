import { leadStatuses } from '@mostrador/contracts';
import { root } from '../../../infra/local/paths.ts';
import { type Filled, fillLeads } from '../crm/fill.ts';
import { measureImport } from '../crm/import.ts';
import type { BenchmarkOptions, BenchmarkRun, Found } from '../shared/benchmark.ts';
import type { LoadJob } from '../shared/load/job.ts';
import { startLoad } from '../shared/load/start-load.ts';
import { describeMachine, loadAverage } from '../shared/machine.ts';
import { type Platform, startPlatform } from '../shared/platform.ts';
import { cpuOfAll, cpuUsed } from '../shared/processes.ts';
import { type ProcessorColumn, processorTime } from '../shared/processor-time.ts';
import { perSecond, ratioCell, type Section, settingsOf } from '../shared/report.ts';
import { rotated } from '../shared/statistics.ts';
import { openAll } from '../shared/stops.ts';
import { table } from '../shared/table.ts';

const leads = 10_000;
const importedRows = 20_000;

type Side = {
  readonly name: 'before' | 'after';
  readonly checkout: string;
  readonly platform: Platform;
  readonly key: string;
  readonly filled: Filled;
};
/** What each side achieved in each round, and the processor time of each process for one request. */
type Measured = Record<Side['name'], { perSecond: number; cpuMs: Record<string, number> }[]>;

export type CompareOptions = BenchmarkOptions & { readonly only?: string };

/** Calls that each version answers, by eight callers. */
const calls: Record<string, (filled: Filled) => Pick<LoadJob, 'method' | 'paths' | 'bodies' | 'expectedStatus'>> = {
  'GET /leads/{id}': ({ leadIds }) => ({
    method: 'GET',
    paths: leadIds.map((id) => `/leads/${id}`),
    expectedStatus: 200,
  }),
  'GET /leads?limit=50': () => ({ method: 'GET', paths: ['/leads?limit=50'], expectedStatus: 200 }),
  'PATCH /leads/{id}': ({ leadIds }) => ({
    method: 'PATCH',
    paths: leadIds.map((id) => `/leads/${id}`),
    // The statuses take turns, so that every request changes something.
    bodies: leadStatuses.map((status) => JSON.stringify({ status })),
    expectedStatus: 200,
  }),
  'POST /leads': () => ({ method: 'POST', paths: ['/leads'], bodies: newLeads(20_000), expectedStatus: 201 }),
};

let phones = 0;
const newLeads = (count: number) =>
  Array.from({ length: count }, () =>
    JSON.stringify({ name: 'Maria da Silva', customer_phone: String(5_511_600_000_000 + ++phones) }),
  );

const importCalls = ['`admin lead import`, rows', 'the same file again, rows'] as const;

/** `npm run bench -- compare <checkout>`: the existing calls of crm in that checkout and in this one, in turn. */
export async function compare(before: string, options: CompareOptions, { say, signal }: BenchmarkRun): Promise<Found> {
  const { quick, rounds = quick ? 1 : 10, seconds = quick ? 1 : 3, only = '' } = options;
  const loadBefore = loadAverage();
  const chosen = Object.keys(calls).filter((what) => what.includes(only));
  const isImported = importCalls.some((what) => what.includes(only));
  say('Starting both platforms.');
  const stage = await openAll(async (stops) => {
    const open = async (name: Side['name'], checkout: string): Promise<Side> => {
      const platform = await startPlatform(checkout);
      stops.push(platform.stop);
      const { id, key } = await platform.newStore({});
      return { name, checkout, platform, key, filled: await fillLeads(platform.databaseUrl, id, leads) };
    };
    const sides = [await open('before', before), await open('after', root)];
    return { sides, load: await startLoad(stops) };
  });
  const measured = new Map<string, Measured>();
  const note = (what: string, { name }: Side, rate: number, cpuMs: Record<string, number> = {}) => {
    const found = measured.get(what) ?? { before: [], after: [] };
    measured.set(what, found);
    found[name].push({ perSecond: rate, cpuMs });
    say(`${what}, ${name}: ${Math.round(rate)}/s`);
  };
  const run = async (what: string, side: Side, durationMs: number) => {
    const { processes, origin } = side.platform;
    const started = cpuOfAll(processes);
    const job = calls[what]?.(side.filled) as ReturnType<(typeof calls)[string]>;
    const result = await stage.load({
      ...job,
      origin,
      paths: job.paths.map((path) => `/integrations/v1${path}`),
      headers: { 'X-API-Key': side.key },
      concurrency: 8,
      warmUpMs: 200,
      durationMs,
    });
    const used = Object.entries(cpuUsed(started, cpuOfAll(processes)));
    const cpuMs = Object.fromEntries(used.map(([name, s]) => [name, (s * 1000) / result.sent]));
    return { perSecond: result.perSecond, cpuMs };
  };

  try {
    const machine = await describeMachine(stage.sides[1]?.platform as Platform);
    say('Warming up.');
    for (const what of chosen) for (const side of stage.sides) await run(what, side, 1000);
    for (let round = 0; round < rounds; round++) {
      signal.throwIfAborted();
      say(`Round ${round + 1} of ${rounds}.`);
      for (const what of chosen) {
        for (const side of rotated(stage.sides, round)) {
          const result = await run(what, side, seconds * 1000);
          note(what, side, result.perSecond, result.cpuMs);
        }
      }
      for (const side of isImported ? rotated(stage.sides, round) : []) {
        const { platform, again } = await measureImport(side.checkout, side.platform, importedRows);
        note(importCalls[0], side, platform);
        note(importCalls[1], side, again);
      }
    }
    const what = `${rounds} rounds of ${seconds} s; both versions run all the time and take turns`;
    const sections: Section[] = [
      ['After ÷ before', ratiosOf(measured)],
      ['Processor time for one request, in milliseconds', processorTime(columnsOf(measured))],
    ];
    return { name: 'compare', report: { settings: settingsOf(what, loadBefore), machine, sections }, raw: measured };
  } finally {
    say('Stopping.');
    await stage.stop();
  }
}

const total = ({ cpuMs }: Measured['after'][number]) => Object.values(cpuMs).reduce((sum, each) => sum + each, 0);

const ratiosOf = (measured: ReadonlyMap<string, Measured>): string =>
  table(
    ['call', 'per second', 'processor time of all processes for one'],
    [...measured].map(([what, { before, after }]) => [
      what,
      ratioCell(perSecond(after), perSecond(before)),
      isImport(what) ? '' : ratioCell(after.map(total), before.map(total)),
    ]),
  );

const columnsOf = (measured: ReadonlyMap<string, Measured>): ProcessorColumn[] =>
  [...measured].flatMap(([what, { before, after }]) =>
    isImport(what)
      ? []
      : [
          { title: `${what}, before`, measured: before },
          { title: 'after', measured: after },
        ],
  );

const isImport = (what: string) => importCalls.some((each) => each === what);
