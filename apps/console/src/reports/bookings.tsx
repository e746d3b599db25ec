import { m } from '../paraglide/messages.js';
import { numberText } from '../ui/numbers.ts';
import { type Column, Table } from '../ui/table.tsx';
import type { Summary } from './queries.ts';
import styles from './reports.module.css';

type Appointments = Summary['appointments'];
type Changes = Pick<
  NonNullable<Appointments['by_seller']>[number],
  'refused' | 'moved' | 'confirmed' | 'no_shows' | 'cancelled'
>;
type Row = Changes & { readonly key: string; readonly name: string };
type Source = keyof Changes['cancelled'];

const sources: readonly (readonly [Source, () => string])[] = [
  ['customer', m.reports_from_customer],
  ['console', m.reports_from_console],
  ['calendar', m.reports_from_calendar],
  ['agent', m.reports_from_agent],
  ['api', m.reports_from_api],
  ['system', m.reports_from_system],
];

const sum = (cancelled: Changes['cancelled']): number => sources.reduce((all, [source]) => all + cancelled[source], 0);

const counts: readonly (readonly [string, () => string, (row: Row) => number])[] = [
  ['refused', m.reports_bookings_refused, ({ refused }) => refused],
  ['moved', m.reports_bookings_moved, ({ moved }) => moved],
  ['confirmed', m.reports_bookings_confirmed, ({ confirmed }) => confirmed],
  ['no_shows', m.reports_bookings_no_show, ({ no_shows }) => no_shows],
  ['cancelled', m.reports_bookings_cancelled, ({ cancelled }) => sum(cancelled)],
];

/** What happened to appointments after their creation: of the store, of each seller and of each service. */
export function Bookings({ appointments }: { appointments: Appointments }) {
  const { refused, moved, confirmed, no_shows, cancelled, by_seller = [], by_service = [] } = appointments;
  if (refused === undefined || moved === undefined || confirmed === undefined || no_shows === undefined || !cancelled)
    return null;
  const rows: Row[] = [
    { key: 'all', name: m.reports_bookings_all(), refused, moved, confirmed, no_shows, cancelled },
    ...by_seller.map((each) => ({ ...each, key: each.seller_id, name: each.name ?? m.reports_deleted_seller() })),
    ...by_service.map((each) => ({ ...each, key: each.service_id, name: each.name ?? m.reports_deleted_service() })),
  ];
  const columns: readonly Column<Row>[] = [
    { key: 'name', label: m.reports_bookings_of(), wide: true, cell: ({ name }) => name },
    ...counts.map(([key, label, of]) => ({
      ...{ key, label: label(), numeric: true },
      cell: (row: Row) => numberText(of(row)),
    })),
  ];
  return (
    <>
      <section>
        <h2 className={styles.heading}>{m.reports_bookings()}</h2>
        <Table label={m.reports_bookings()} columns={columns} rows={rows} keyOf={({ key }) => key} />
      </section>
      {sum(cancelled) > 0 && <Cancelled cancelled={cancelled} />}
    </>
  );
}

type Cancellations = { readonly source: string; readonly count: number };

const cancelledColumns: readonly Column<Cancellations>[] = [
  { key: 'source', label: m.reports_cancelled_source(), wide: true, cell: ({ source }) => source },
  { key: 'count', label: m.reports_bookings_cancelled(), numeric: true, cell: ({ count }) => numberText(count) },
];

function Cancelled({ cancelled }: Pick<Changes, 'cancelled'>) {
  const rows = sources
    .map(([source, name]) => ({ source: name(), count: cancelled[source] }))
    .filter(({ count }) => count > 0);
  return (
    <section>
      <h2 className={styles.heading}>{m.reports_cancelled_by()}</h2>
      <Table label={m.reports_cancelled_by()} columns={cancelledColumns} rows={rows} keyOf={({ source }) => source} />
    </section>
  );
}
