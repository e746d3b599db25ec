import { type Report, spread, spreadMs, targetsTable } from '../shared/report.ts';
import { table } from '../shared/table.ts';
import type { Hour, Loaded, Scrolled } from './visit.ts';

export type ConsolePlan = {
  readonly rounds: number;
  /** How long a list is scrolled. */
  readonly seconds: number;
  readonly conversations: number;
  /** Of the longest thread. */
  readonly messages: number;
  readonly eventsOfAnHour: number;
  /** How many of them happen in a second. */
  readonly eventRate: number;
};

export const loads = ['cold', 'warm', 'cold, CPU ×4'] as const;
export type Load = (typeof loads)[number];
export const lists = ['conversations', 'thread'] as const;
export type List = (typeof lists)[number];

export type ConsoleFindings = Pick<Report, 'settings' | 'machine'> & {
  readonly plan: ConsolePlan;
  readonly loaded: Readonly<Record<Load, readonly Loaded[]>>;
  readonly scrolled: Readonly<Record<List, readonly Scrolled[]>>;
  readonly hour: Hour;
};

const usableLimitMs = 2_000;
const framesLimit = 50;
const firstLoadLimitKib = 250;
const kib = (bytes: number) => bytes / 1024;
const mib = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

export function reportConsole(findings: ConsoleFindings): Report {
  const { plan, loaded, scrolled, hour } = findings;
  const count = (number: number) => number.toLocaleString('en');
  const names: Record<List, string> = {
    conversations: `${count(plan.conversations)} conversations`,
    thread: `a thread of ${count(plan.messages)} messages`,
  };
  return {
    ...findings,
    sections: [
      [
        'Targets',
        targetsTable([
          {
            what: 'first load of the inbox, compressed, with its data',
            values: loaded.cold.map(({ bytes }) => kib(bytes)),
            holds: '≤',
            limit: firstLoadLimitKib,
            unit: ' KiB',
          },
          ...loads.map((load) => ({
            what: `from the navigation to a usable inbox: ${load}`,
            values: loaded[load].map(({ usableMs }) => usableMs),
            holds: '≤' as const,
            limit: usableLimitMs,
            unit: ' ms',
          })),
          ...lists.map((list) => ({
            what: `scrolling ${names[list]}, frames/s`,
            values: scrolled[list].map(({ framesPerSecond }) => framesPerSecond),
            holds: '≥' as const,
            limit: framesLimit,
          })),
        ]),
      ],
      [
        'An hour of events, replayed faster',
        `${count(hour.events)} messages arrive in ${hour.seconds.toFixed(0)} s while the inbox is open: as many as a busy store has in an hour.`,
        table(
          ['requests', 'requests per event', 'heap before', 'heap after'],
          [[count(hour.requests), (hour.requests / hour.events).toFixed(2), mib(hour.heapBefore), mib(hour.heapAfter)]],
        ),
      ],
      [
        'Loads',
        table(
          ['load', 'usable', 'bytes', 'requests'],
          loads.map((load) => [
            load,
            spreadMs(loaded[load].map(({ usableMs }) => usableMs)),
            spread(
              loaded[load].map(({ bytes }) => kib(bytes)),
              ' KiB',
            ),
            spread(loaded[load].map(({ requests }) => requests)),
          ]),
        ),
      ],
      [
        'Scrolling',
        table(
          ['list', 'frames/s', 'longest frame'],
          lists.map((list) => [
            names[list],
            spread(scrolled[list].map(({ framesPerSecond }) => framesPerSecond)),
            spreadMs(scrolled[list].map(({ longestFrameMs }) => longestFrameMs)),
          ]),
        ),
      ],
    ],
  };
}
