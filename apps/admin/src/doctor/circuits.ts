import { type Finding, toTime } from './finding.ts';

/** A provider that a service does not call now. */
export type OpenCircuit = {
  readonly service: string;
  readonly origin: string;
  readonly failures: number;
  readonly since: Date;
  readonly open_until: Date;
};

const longMs = 60 * 60_000;

/** Pure. */
export const judgeCircuits = (circuits: readonly OpenCircuit[], now: Date): Finding[] =>
  circuits.map(({ service, origin, failures, since, open_until }) => ({
    severity: open_until < now ? 'note' : +now - +since < longMs ? 'warning' : 'critical',
    what: `${service} does not call the provider at ${origin}. What goes through it waits`,
    since: toTime(since),
    why: `It did not answer, or answered with errors, ${failures} ${failures === 1 ? 'time' : 'times'} in a row. ${open_until < now ? `${service} calls it with the next work for it` : `${service} calls it again at ${open_until.toISOString()}`}.`,
    remedy:
      "Nothing here: it goes on by itself. Look at the provider's status page, and from a host of the service at its name and network.",
  }));
