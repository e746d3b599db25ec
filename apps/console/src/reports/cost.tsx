import { m } from '../paraglide/messages.js';
import { numberText } from '../ui/numbers.ts';
import { type Column, Table } from '../ui/table.tsx';
import { categoryName } from './categories.ts';
import { money } from './formats.ts';
import type { Summary } from './queries.ts';
import styles from './reports.module.css';
import { sources } from './sources.ts';

type Priced = NonNullable<Summary['conversations']['messages_priced']>;
type Category = keyof Priced['free'];
type Row = { readonly category: Category; readonly billed: number; readonly free: number };

const sumOf = (bySource: Readonly<Record<(typeof sources)[number][0], number>>): number =>
  sources.reduce((total, [source]) => total + bySource[source], 0);

/** What the messages of the period cost, by category and by who wrote them. */
export function Cost({ data }: { data: Summary }) {
  const { messages_priced: priced, messages_cost: cost } = data.conversations;
  if (!priced || !cost) return null;
  const rows = (Object.keys(priced.billable) as Category[])
    .map((category) => ({ category, billed: sumOf(priced.billable[category]), free: sumOf(priced.free[category]) }))
    .filter(({ billed, free }) => billed + free > 0);
  if (rows.length === 0) return null;
  const { currency, amount, amounts, without_rate } = cost;
  const numeric = (label: string, cell: (row: Row) => string): Column<Row> => ({
    ...{ key: label, label, cell },
    numeric: true,
  });
  const columns = [
    { key: 'category', label: m.reports_category(), cell: ({ category }: Row) => categoryName(category) },
    numeric(m.reports_billed(), ({ billed }) => numberText(billed)),
    numeric(m.reports_free(), ({ free }) => numberText(free)),
    ...(currency === null
      ? []
      : [
          ...sources.map(([source, name]) =>
            numeric(name(), ({ category }) => money(amounts[category][source], currency)),
          ),
          numeric(m.reports_amount(), ({ category }) => money(sumOf(amounts[category]), currency)),
        ]),
  ];
  return (
    <section>
      <h2 className={styles.heading}>
        {m.reports_cost()}
        {currency !== null && ` · ${money(amount, currency)}`}
      </h2>
      <Table label={m.reports_cost()} columns={columns} rows={rows} keyOf={({ category }) => category} />
      {currency === null && <p className={styles.about}>{m.reports_no_rates()}</p>}
      {currency !== null && without_rate > 0 && (
        <p className={styles.about}>{m.reports_without_rate({ count: numberText(without_rate) })}</p>
      )}
    </section>
  );
}
