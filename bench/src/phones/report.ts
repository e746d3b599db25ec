import type { Report } from '../shared/report.ts';
import { table } from '../shared/table.ts';

/** How many of 10,000 numbers are read as another number, and how many are refused. */
type Counts = { readonly wrong: number; readonly refused: number };

export type CountryCounts = {
  readonly country: string;
  /** The digits of national mobiles. */
  readonly national: Counts;
  /** The same mobiles with country code. */
  readonly international: Counts;
  /** National ones, read by an earlier version. */
  readonly before?: Counts;
};

export function countKinds(kinds: readonly ('right' | 'wrong' | 'refused')[]): Counts {
  const of = (kind: 'wrong' | 'refused') =>
    Math.round((kinds.filter((one) => one === kind).length / kinds.length) * 10_000);
  return { wrong: of('wrong'), refused: of('refused') };
}

type Findings = {
  readonly seed: number;
  readonly count: number;
  readonly counts: readonly CountryCounts[];
  readonly hasBefore: boolean;
};

/** The number of countries on the page. */
const worst = 20;
const names = new Intl.DisplayNames('en', { type: 'region' });

export function reportPhones({ seed, count, counts, hasBefore }: Findings): Report {
  const most = ({ before, national }: CountryCounts) => before?.wrong ?? national.refused;
  const sorted = counts.toSorted((a, b) => most(b) - most(a) || b.national.refused - a.national.refused);
  const figure = (value: number) => value.toLocaleString('en');
  const rowOf = (name: string, { national, international, before }: Omit<CountryCounts, 'country'>) => [
    name,
    ...(before ? [figure(before.wrong)] : []),
    ...[national.wrong, national.refused, international.wrong, international.refused].map(figure),
  ];
  const head = [
    `of 10,000 mobiles of`,
    ...(hasBefore ? ['wrong before'] : []),
    ...['wrong', 'refused', 'with country code: wrong', 'refused'],
  ];
  const average = (of: (one: CountryCounts) => number) =>
    Math.round(counts.reduce((sum, one) => sum + of(one), 0) / counts.length);
  const all = rowOf(`all ${counts.length} countries, on average`, {
    national: { wrong: average((one) => one.national.wrong), refused: average((one) => one.national.refused) },
    international: {
      wrong: average((one) => one.international.wrong),
      refused: average((one) => one.international.refused),
    },
    ...(hasBefore ? { before: { wrong: average((one) => one.before?.wrong ?? 0), refused: 0 } } : {}),
  });
  const rows = sorted.map((one) => rowOf(names.of(one.country) ?? one.country, one));
  const day = new Date().toISOString().slice(0, 10);
  return {
    settings: [`${day}, ${count.toLocaleString('en')} random mobiles of each country, seed ${seed}, as 10,000.`],
    machine: ['Digits alone, in a store of the country that has no leads.'],
    sections: [
      [`The ${worst} countries that were read worst`, table(head, [all, ...rows.slice(0, worst)])],
      ['All countries', table(head, rows)],
    ],
  };
}
