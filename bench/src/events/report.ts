import { processorTime } from '../shared/processor-time.ts';
import { perSecond, type Report, ratioCell, spread, spreadMs, targetsTable } from '../shared/report.ts';
import { ratios } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';
import type { Appended } from './append.ts';
import type { Beside, Delivered } from './deliver.ts';
import { type Follow, readers } from './follow.ts';
import type { ThroughKills } from './through-kills.ts';

export type EventsPlan = {
  readonly rounds: number;
  readonly seconds: number;
  /** Changes per second while a reader follows, and while webhooks are sent. */
  readonly rate: number;
  readonly endpoints: number;
  /** Webhooks in one go. */
  readonly webhooks: number;
  /** Events that are delivered while everything is killed. */
  readonly throughKills: number;
  readonly seed: number;
};

export type EventsFindings = Pick<Report, 'settings' | 'machine'> & {
  readonly plan: EventsPlan;
  readonly appended: readonly Appended[];
  readonly inserted: readonly Appended[];
  readonly followed: readonly Follow[];
  readonly delivered: readonly Delivered[];
  readonly posted: readonly Delivered[];
  readonly beside: readonly Beside[];
  readonly killed: ThroughKills;
};

const p99LimitMs = 1_000;
const share = 0.3;

const faultsOf = ({ kills: _kills, seconds: _seconds, repeated: _repeated, ...faults }: ThroughKills): number =>
  Object.values(faults).reduce((sum, count) => sum + count, 0);

export function reportEvents(findings: EventsFindings): Report {
  const { plan, appended, inserted, followed, delivered, posted, beside, killed } = findings;
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
            what: `${plan.rate} changes/s over ${plan.endpoints} endpoints, of which one hangs and one fails: from the change to the others, p99`,
            values: beside.map(({ p99Ms }) => p99Ms),
            holds: '<',
            limit: p99LimitMs,
            unit: ' ms',
          },
          {
            what: `${plan.throughKills.toLocaleString('en')} events through kills: lost, doubled, out of order or forged`,
            values: [faultsOf(killed)],
            holds: '≤',
            limit: 0,
          },
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
        `Webhooks of ${plan.endpoints} endpoints, ${plan.rate} new leads a second; one endpoint hangs, one answers 500`,
        table(
          ['expected', 'received', 'p50', 'p99', 'longest', 'requests of the hanging one', 'of the failing one'],
          [
            [
              spread(beside.map(({ expected }) => expected)),
              spread(beside.map(({ events }) => events)),
              spreadMs(beside.map(({ p50Ms }) => p50Ms)),
              spreadMs(beside.map(({ p99Ms }) => p99Ms)),
              spreadMs(beside.map(({ maxMs }) => maxMs)),
              spread(beside.map(({ toHanging }) => toHanging)),
              spread(beside.map(({ toFailing }) => toFailing)),
            ],
          ],
        ),
      ],
      [
        `${plan.webhooks.toLocaleString('en')} webhooks in one go`,
        table(
          ['variant', 'webhooks/s', 'platform ÷ this'],
          [
            ['platform: append, deliver, record', spread(perSecond(delivered)), ''],
            [
              'bare: one insert and one POST',
              spread(perSecond(posted)),
              ratioCell(perSecond(delivered), perSecond(posted)),
            ],
          ],
        ),
      ],
      [
        `${plan.throughKills.toLocaleString('en')} events to ${plan.endpoints} endpoints, while every process and server is killed twice`,
        `Killed, in this order: ${killed.kills.join(', ')} (seed ${plan.seed}). The receiver in Python refused the first attempt of 1 % of the events.`,
        table(
          ['what', 'count'],
          [
            ['seconds from the first append to the last webhook', killed.seconds.toFixed(0)],
            ['webhooks that came again, with the same `webhook-id`', String(killed.repeated)],
            ['events that are not in the feed', String(killed.notInFeed)],
            ['events that are in the feed twice', String(killed.twiceInFeed)],
            ['feeds with a gap in their numbers', String(killed.feedsWithGap)],
            ['events that their endpoint did not accept', String(killed.notDelivered)],
            ['webhooks before an earlier one of their resource', String(killed.outOfOrder)],
            ['webhooks with another id, or of another store', String(killed.otherIds)],
            ['webhooks without a valid signature', String(killed.forged)],
          ],
        ),
      ],
      [
        'Processor time, in milliseconds per event',
        processorTime([
          { title: 'append', measured: appended },
          { title: 'bare insert', measured: inserted },
          { title: 'webhook', measured: delivered },
          { title: 'insert and POST', measured: posted },
          { title: 'lead and webhook', measured: beside },
          ...readers.map((name) => ({ title: `lead and ${name}`, measured: by(name) })),
        ]),
      ],
    ],
  };
}
