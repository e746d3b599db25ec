import { type Report, spread, spreadMs, targetsTable } from '../shared/report.ts';
import { ratios } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';
import { othersPerSecond } from './others.ts';
import type { AttackName, AttacksPlan, Noticed } from './plan.ts';

export type AttacksFindings = Pick<Report, 'settings' | 'machine'> & {
  readonly plan: AttacksPlan;
  readonly quiet: readonly Noticed[];
  readonly attacked: readonly Noticed[];
};

const limit = 1.2;

export function reportAttacks({ settings, machine, plan, quiet, attacked }: AttacksFindings): Report {
  const kinds = Object.keys(quiet[0]?.latencies ?? {});
  const p99 = (found: readonly Noticed[], kind: string) => found.map(({ latencies }) => latencies[kind]?.p99Ms ?? NaN);
  const of = (attack: AttackName) => attacked.filter((each) => each.attack === attack);
  /** The quiet measurement just before each measurement of the attack. */
  const before = (attack: AttackName) =>
    of(attack)
      .map((each) => quiet[attacked.indexOf(each)])
      .filter((each) => each !== undefined);
  const ratio = (attack: AttackName, kind: string) => ratios(p99(of(attack), kind), p99(before(attack), kind));
  const numbers = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([status, count]) => `${status}: ${count.toLocaleString('en')}`)
      .join(', ') || 'none';
  const sum = (found: readonly Noticed[], pick: (each: Noticed) => Readonly<Record<string, number>>) => {
    const total: Record<string, number> = {};
    for (const each of found)
      for (const [status, count] of Object.entries(pick(each))) total[status] = (total[status] ?? 0) + count;
    return total;
  };
  return {
    settings,
    machine,
    sections: [
      [
        'Targets: p99 of others beside the attack ÷ p99 of the quiet measurement just before',
        targetsTable(
          plan.attacks.flatMap((attack) =>
            kinds.map((kind) => ({
              what: `${attack}: ${kind}`,
              values: ratio(attack, kind),
              holds: '≤' as const,
              limit,
            })),
          ),
        ),
      ],
      [
        `What others notice, at ${othersPerSecond} requests a second`,
        table(
          ['', 'kind', 'p50', 'p99', 'longest'],
          [['quiet', quiet] as const, ...plan.attacks.map((attack) => [attack, of(attack)] as const)].flatMap(
            ([name, found]) =>
              kinds.map((kind) => [
                name,
                kind,
                ...(['p50Ms', 'p99Ms', 'maxMs'] as const).map((figure) =>
                  spreadMs(found.map(({ latencies }) => latencies[kind]?.[figure] ?? NaN)),
                ),
              ]),
          ),
        ),
      ],
      [
        'Requests of the attack, and answers other than 2xx',
        table(
          ['attack', 'requests', 'to the attacker', 'to others'],
          plan.attacks.map((attack) => [
            attack,
            spread(of(attack).map(({ sent }) => sent?.sent ?? 0)),
            numbers(sum(of(attack), ({ sent }) => sent?.refused ?? {})),
            numbers(sum(of(attack), ({ refused }) => refused)),
          ]),
        ),
      ],
    ],
  };
}
