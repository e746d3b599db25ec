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
import { ratioCell, settingsOf } from '../shared/report.ts';
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
/** What each side achieved in each round. */
type Measured = Record<Side['name'], { perSecond: number[]; cpuMs: number[] }>;

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

/** `npm run bench -- compare <checkout>`: the existing calls of crm in that checkout and in this one, in turn. */
export async function compare(
  before: string,
  options: BenchmarkOptions,
  { say, signal }: BenchmarkRun,
): Promise<Found> {
  const { quick, rounds = quick ? 1 : 10, seconds = quick ? 1 : 3 } = options;
  const loadBefore = loadAverage();
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
  const note = (what: string, { name }: Side, perSecond: number, cpuMs?: number) => {
    const found = measured.get(what) ?? { before: { perSecond: [], cpuMs: [] }, after: { perSecond: [], cpuMs: [] } };
    measured.set(what, found);
    found[name].perSecond.push(perSecond);
    if (cpuMs !== undefined) found[name].cpuMs.push(cpuMs);
    say(`${what}, ${name}: ${Math.round(perSecond)}/s${cpuMs === undefined ? '' : `, ${cpuMs.toFixed(2)} ms`}`);
  };
  const run = async (what: string, side: Side, durationMs: number, isMeasured = true) => {
    const started = cpuOfAll(side.platform.processes);
    const job = calls[what]?.(side.filled) as ReturnType<(typeof calls)[string]>;
    const result = await stage.load({
      ...job,
      origin: side.platform.origin,
      paths: job.paths.map((path) => `/integrations/v1${path}`),
      headers: { 'X-API-Key': side.key },
      concurrency: 8,
      warmUpMs: 200,
      durationMs,
    });
    if (isMeasured) note(what, side, result.perSecond, (1000 * usedSince(side, started)) / result.sent);
  };
  const runImport = async (side: Side) => {
    const { platform, again } = await measureImport(side.checkout, side.platform, importedRows);
    note('`admin lead import`, rows', side, platform);
    note('the same file again, rows', side, again);
  };

  try {
    const machine = await describeMachine(stage.sides[1]?.platform as Platform);
    say('Warming up.');
    for (const what of Object.keys(calls)) for (const side of stage.sides) await run(what, side, 1000, false);
    for (let round = 0; round < rounds; round++) {
      signal.throwIfAborted();
      say(`Round ${round + 1} of ${rounds}.`);
      for (const what of Object.keys(calls)) {
        for (const side of rotated(stage.sides, round)) await run(what, side, seconds * 1000);
      }
      for (const side of rotated(stage.sides, round)) await runImport(side);
    }
    const rows = [...measured].map(([what, { before: old, after }]) => [
      what,
      ratioCell(after.perSecond, old.perSecond),
      ratioCell(after.cpuMs, old.cpuMs),
    ]);
    const settings = settingsOf(
      `${rounds} rounds of ${seconds} s; both versions run all the time and take turns`,
      loadBefore,
    );
    const title = 'After ÷ before';
    const content = table(['call', 'per second', 'processor time of all processes for each'], rows);
    return { name: 'compare', report: { settings, machine, sections: [[title, content]] }, raw: measured };
  } finally {
    say('Stopping.');
    await stage.stop();
  }
}

const usedSince = ({ platform }: Side, started: ReturnType<typeof cpuOfAll>): number =>
  Object.values(cpuUsed(started, cpuOfAll(platform.processes))).reduce((sum, seconds) => sum + seconds, 0);
