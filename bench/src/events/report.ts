import { processorTime } from '../shared/processor-time.ts';
import { perSecond, type Report, ratioCell, spread, spreadMs, targetsTable } from '../shared/report.ts';
import { ratios } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';
import type { Appended } from './append.ts';
import { type Follow, readers } from './follow.ts';

export type EventsPlan = { readonly rounds: number; readonly seconds: number; readonly rate: number };

export type EventsFindings = Pick<Report, 'settings' | 'machine'> & {
  readonly plan: EventsPlan;
  readonly appended: readonly Appended[];
  readonly inserted: readonly Appended[];
  readonly followed: readonly Follow[];
};

const p99LimitMs = 1_000;
const share = 0.3;

export function reportEvents(findings: EventsFindings): Report {
  const { plan, appended, inserted, followed } = findings;
  const by = (name: Follow['by']) => followed.filter((each) => each.by === name);
  const cells = (pick: (each: Follow) => number, name: Follow['by'], unit: string) => spread(by(name).map(pick), unit);
  return {
    ...findings,
    sections: [
      [
        'Targets',
        targetsTable([
          ...readers.map((name) => ({
            what: `${plan.rate} changes/s: from the change to a reader by ${name}, p99`,
            values: by(name).map(({ p99Ms }) => p99Ms),
            holds: '<' as const,
            limit: p99LimitMs,
            unit: ' ms',
          })),
          {
            what: 'appended ÷ bare inserts, events/s',
            values: ratios(perSecond(appended), perSecond(inserted)),
            holds: '≥',
            limit: share,
          },
        ]),
      ],
      [
        'Appending, in batches of 200 events of 10 stores',
        table(
          ['variant', 'events/s', 'platform ÷ this'],
          [
            ['platform, over NATS', spread(perSecond(appended)), ''],
            [
              'bare insert of the batch',
              spread(perSecond(inserted)),
              ratioCell(perSecond(appended), perSecond(inserted)),
            ],
          ],
        ),
      ],
      [
        `Following one feed, ${plan.rate} new leads a second`,
        table(
          ['reader', 'events read', 'gaps', 'p50', 'p99', 'longest', 'p99 of the writes'],
          readers.map((name) => [
            name,
            cells(({ events }) => events, name, ''),
            String(by(name).reduce((sum, { gaps }) => sum + gaps, 0)),
            ...[
              cells(({ p50Ms }) => p50Ms, name, ' ms'),
              cells(({ p99Ms }) => p99Ms, name, ' ms'),
              cells(({ maxMs }) => maxMs, name, ' ms'),
            ],
            spreadMs(by(name).map(({ writeP99Ms }) => writeP99Ms)),
          ]),
        ),
      ],
      [
        'Processor time, in milliseconds per event',
        processorTime([
          { title: 'append', measured: appended },
          { title: 'bare insert', measured: inserted },
          ...readers.map((name) => ({ title: `lead and ${name}`, measured: by(name) })),
        ]),
      ],
    ],
  };
}
