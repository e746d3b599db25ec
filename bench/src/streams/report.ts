import { type Report, targetsTable } from '../shared/report.ts';
import { table } from '../shared/table.ts';

export type StreamsFindings = Pick<Report, 'settings' | 'machine'> & {
  readonly count: number;
  /** Megabytes, before the streams and at the end. */
  readonly before: Readonly<Record<string, number>>;
  readonly after: Readonly<Record<string, number>>;
  /** Milliseconds until all were open. */
  readonly openedFor: number;
  readonly atRest: {
    /** Requests to accounts about the sessions of streams. */
    readonly checksPerSecond: number;
    readonly cpuMsPerSecond: Readonly<Record<string, number>>;
  };
  /** Milliseconds without accounts. */
  readonly awayFor: number;
  /** Streams that ended by the kill and the restart. */
  readonly ended: number;
  readonly revoked: number;
  readonly revokedWithinMs: number;
  /** Streams that ended with those that were to, beyond them. */
  readonly endedTooMany: number;
  /** Streams of the store that had an event, of how many, and after how long all of them had it. */
  readonly heard: number;
  readonly inStore: number;
  readonly heardWithinMs: number;
};

const revokedLimitMs = 2_000;

export function reportStreams(findings: StreamsFindings): Report {
  const { count, before, after, atRest, ended, revoked, endedTooMany, heard, inStore } = findings;
  const streams = `${count.toLocaleString('en')} streams`;
  const grown = (after.gateway ?? Number.NaN) - (before.gateway ?? Number.NaN);
  return {
    ...findings,
    sections: [
      [
        'Targets',
        targetsTable([
          {
            what: `${streams} through a kill and a restart of accounts: ended`,
            values: [ended],
            holds: '≤',
            limit: 0,
          },
          {
            what: `${revoked} sessions ended in SQL: until the last of their streams ended`,
            values: [findings.revokedWithinMs],
            holds: '≤',
            limit: revokedLimitMs,
            unit: ' ms',
          },
          { what: 'other streams that ended with them', values: [endedTooMany], holds: '≤', limit: 0 },
          {
            what: `streams of one store that heard of its event, of ${inStore}`,
            values: [heard],
            holds: '≥',
            limit: inStore,
          },
        ]),
      ],
      [
        'What they cost',
        table(
          ['what', 'measured'],
          [
            ['until all were open', `${(findings.openedFor / 1000).toFixed(1)} s`],
            ['requests to accounts about their sessions', `${atRest.checksPerSecond.toFixed(1)}/s`],
            ['memory of the gateway before', `${before.gateway?.toFixed(0)} MB`],
            ['memory of the gateway with them', `${after.gateway?.toFixed(0)} MB`],
            ['memory of the gateway for one', `${((grown * 1024) / count).toFixed(0)} KB`],
            ['memory of accounts after its restart', `${after.accounts?.toFixed(0)} MB`],
            ['accounts was away', `${(findings.awayFor / 1000).toFixed(1)} s`],
            ['from a new lead to the last stream of its store', `${findings.heardWithinMs} ms`],
          ],
        ),
      ],
      [
        'Processor time at rest, in milliseconds per second',
        table(
          ['process', 'ms/s'],
          Object.entries(atRest.cpuMsPerSecond).map(([name, ms]) => [name, ms.toFixed(0)]),
        ),
      ],
    ],
  };
}
