import type { OpenLoadResult } from '../shared/load/open-load.ts';
import { servers } from '../shared/platform.ts';
import { loadCells, type Report, spread, type Target, targetsTable } from '../shared/report.ts';
import { spreadOf } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';

/** The memory of the platform at one time, in megabytes. */
export type MemorySample = {
  /** By process: the resident memory. Of a server, with its children, and shared pages divided among their users. */
  readonly ofEach: Readonly<Record<string, number>>;
  /** All processes, with shared pages divided among their users. */
  readonly togetherMb: number;
};

/** At the end of a round, and what its requests got. */
export type LoadedSample = MemorySample & { readonly result: OpenLoadResult };

export type MemoryFindings = {
  /** The requests a second. */
  readonly rate: number;
  /** The duration of a round. */
  readonly seconds: number;
  readonly settings: readonly string[];
  readonly machine: readonly string[];
  readonly before: MemorySample;
  readonly loaded: readonly LoadedSample[];
  readonly after: MemorySample;
};

/** The end of the load: ten minutes of an hour. One sample may be just before or after a garbage collection. */
const endOf = <T>(rounds: readonly T[]): T[] => rounds.slice(-Math.ceil(rounds.length / 6));
const worker = 'workflows';

export function reportMemory(findings: MemoryFindings): Report {
  const { before, loaded } = findings;
  const end = endOf(loaded);
  const names = Object.keys(before.ofEach);
  const of = (some: readonly MemorySample[], name: string) => some.map(({ ofEach }) => ofEach[name] ?? Number.NaN);
  const ofLargestService = (some: readonly MemorySample[]) =>
    names
      .filter((name) => name !== worker && !servers.includes(name))
      .map((name) => of(some, name))
      .reduce((most, each) => (spreadOf(each).median > spreadOf(most).median ? each : most));
  const target = (what: string, values: readonly number[], limit: number): Target => ({
    ...{ what, values, holds: '≤', limit, unit: ' MB' },
  });
  return {
    ...findings,
    sections: [
      [
        'Targets',
        targetsTable([
          target('the largest service, idle', ofLargestService([before]), 110),
          target('the largest service, at the end of the load', ofLargestService(end), 150),
          target('the worker, at the end of the load', of(end, worker), 230),
          target('all processes, idle', [before.togetherMb], 1500),
        ]),
      ],
      ['Memory', memoryTable(findings, names)],
      ['The load', loadTable(findings)],
    ],
  };
}

function memoryTable({ before, loaded, after, seconds }: MemoryFindings, names: readonly string[]): string {
  const row = (name: string, pick: (sample: MemorySample) => number | undefined) => {
    const all = loaded.map((sample) => pick(sample) ?? Number.NaN);
    const middle = Math.ceil(all.length / 2) - 1;
    const single = [pick(before), all[0], all[middle]];
    return [
      name,
      ...single.map((megabytes) => spread([megabytes ?? Number.NaN], ' MB')),
      spread(endOf(all), ' MB'),
      spread([spreadOf(all).max], ' MB'),
      spread([pick(after) ?? Number.NaN], ' MB'),
    ];
  };
  const afterRounds = (rounds: number) => `after ${((rounds * seconds) / 60).toFixed(1)} minutes`;
  return table(
    ['process', 'idle', afterRounds(1), afterRounds(Math.ceil(loaded.length / 2)), 'at the end', 'most', 'idle again'],
    [
      ...names.map((name) => row(name, ({ ofEach }) => ofEach[name])),
      row('all, shared pages counted once', ({ togetherMb }) => togetherMb),
    ],
  );
}

function loadTable({ rate, loaded }: MemoryFindings): string {
  const results = loaded.map(({ result }) => result);
  const failed = results.reduce(
    (sum, { refused }) => sum + Object.values(refused).reduce((all, count) => all + count, 0),
    0,
  );
  const sent = results.reduce((sum, result) => sum + result.sent, 0);
  return table(
    ['requested/s', 'sent', 'succeeded/s', 'p50', 'p99', 'not 2xx'],
    [
      [
        String(rate),
        sent.toLocaleString('en'),
        ...loadCells(results.map(({ perSecond, all }) => ({ ...all, perSecond }))),
        failed.toLocaleString('en'),
      ],
    ],
  );
}
