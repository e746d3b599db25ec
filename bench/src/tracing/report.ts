import type { LoadResult } from '../shared/load/job.ts';
import { processorMs, processorTime } from '../shared/processor-time.ts';
import { latencyCells, type Report, spread, spreadMs, type Target, targetsTable } from '../shared/report.ts';
import { middleOf, ratios } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';

/** How many of the traces are recorded. */
export const shares = ['off', '1 %', 'all'] as const;
export type Share = (typeof shares)[number];

export type Measured = LoadResult & { readonly cpuMs: Readonly<Record<string, number>> };
type ByShare = Readonly<Record<Share, readonly Measured[]>>;

export type TracingFindings = {
  readonly settings: readonly string[];
  readonly machine: readonly string[];
  readonly created: number;
  /** Requests alone: their store has no calendar. */
  readonly requests: ByShare;
  /** With the workflow of each appointment. */
  readonly whole: ByShare;
};

const cpuOf = (of: ByShare, share: Share) => of[share].map(processorMs);
/** By how much the processor time is above that without traces, in percent, by round. */
const above = (of: ByShare, share: Share) =>
  ratios(cpuOf(of, share), cpuOf(of, 'off')).map((ratio) => (ratio - 1) * 100);

export function reportTracing({ settings, machine, created, requests, whole }: TracingFindings): Report {
  const target = (what: string, of: ByShare, share: Share, limit: number): Target => ({
    ...{ what, values: middleOf(above(of, share)), holds: '≤', limit, unit: ' %' },
  });
  const processors = (of: ByShare) => processorTime(shares.map((share) => ({ title: share, measured: of[share] })));
  return {
    settings,
    machine,
    sections: [
      [
        'Targets',
        'More processor time of all processes than without traces. With a probability of 95 %, the range holds the median that more rounds would approach:',
        targetsTable([
          target('a request, 1 % recorded', requests, '1 %', 3),
          target('a request, all recorded', requests, 'all', 8),
          target('an appointment with its workflow, 1 % recorded', whole, '1 %', 3),
          target('an appointment with its workflow, all recorded', whole, 'all', 8),
        ]),
      ],
      [
        'POST /appointments, without a calendar',
        table(
          ['recorded', 'processor time', 'above off', 'p50', 'p99'],
          shares.map((share) => [
            share,
            spreadMs(cpuOf(requests, share)),
            share === 'off' ? '' : spread(above(requests, share), ' %'),
            ...latencyCells(requests[share]),
          ]),
        ),
        'Processor time of a request, by process, in milliseconds:',
        processors(requests),
      ],
      [
        `${created} appointments with a calendar, until their workflows have ended`,
        'Processor time of an appointment, by process, in milliseconds:',
        processors(whole),
      ],
    ],
  };
}
