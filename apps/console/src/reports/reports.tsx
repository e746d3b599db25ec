import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { buttonLook } from '../ui/button.tsx';
import { dayIn, nameOfZone } from '../ui/clock.ts';
import { LoadFailed } from '../ui/load-failed.tsx';
import { numberText } from '../ui/numbers.ts';
import { Page } from '../ui/page.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Ads } from './ads.tsx';
import { AiUsage } from './ai-usage.tsx';
import { BarChart } from './bar-chart.tsx';
import { Bookings } from './bookings.tsx';
import { Cost } from './cost.tsx';
import { bucketName } from './formats.ts';
import { PeriodPicker } from './period-picker.tsx';
import { csvAddress, type Summary, storeQuery, summaryQuery } from './queries.ts';
import { type Period, periodOf } from './report-search.ts';
import styles from './reports.module.css';
import { sources } from './sources.ts';
import { Totals } from './totals.tsx';

export const route = createLazyRoute('/shell/reports')({ component: Reports });

function Reports() {
  const search = route.useSearch();
  const { data: store, error, refetch } = useQuery(storeQuery);
  if (error && !store) return <LoadFailed error={error} retry={refetch} />;
  const period = store && periodOf(search, dayIn(Date.now(), store.timezone));
  const actions = period && (
    <a href={csvAddress(period, getLocale())} download {...buttonLook('plain')}>
      <Download size={14} aria-hidden />
      {m.reports_csv()}
    </a>
  );
  return (
    <Page
      title={m.reports()}
      about={m.reports_about({ zone: store ? nameOfZone(store.timezone) : '…' })}
      actions={actions}
    >
      {period && <PeriodPicker search={search} period={period} />}
      {period && <Content period={period} />}
    </Page>
  );
}

function Content({ period }: { period: Period }) {
  const { data, error, refetch, isPlaceholderData } = useQuery(summaryQuery(period));
  if (error && !data) return <LoadFailed error={error} retry={refetch} />;
  return (
    <div className={styles.content} aria-busy={!data || isPlaceholderData}>
      <Totals data={data} />
      {data && <Series data={data} bucket={period.bucket} />}
      {data && <Cost data={data} />}
      {data && <Ads ads={data.conversations.by_ad} />}
      {data && <Sellers sellers={data.sellers} />}
      {data && <Bookings appointments={data.appointments} />}
      {data && <AiUsage period={period} />}
    </div>
  );
}

type Element = NonNullable<Summary['series']>[number];

/** The course of the period, as charts and as a table. */
function Series({ data, bucket }: { data: Summary; bucket: Period['bucket'] }) {
  const series = data.series ?? [];
  const nameOf = ({ start }: Element) => bucketName(start, bucket, data.period.timezone);
  const counts: readonly (readonly [string, (element: Element) => number])[] = [
    [m.reports_received(), ({ conversations }) => conversations.messages_inbound],
    [m.reports_leads(), ({ leads }) => leads.created],
    [m.reports_appointments(), ({ appointments }) => appointments.created],
  ];
  const bySource = sources.map(
    ([source, name]) => [name(), ({ conversations }: Element) => conversations.messages_outbound[source]] as const,
  );
  const chart = (label: string, parts: typeof counts) => (
    <BarChart
      key={label}
      label={label}
      parts={parts.map(([name]) => name)}
      bars={series.map((element) => ({ label: nameOf(element), values: parts.map(([, of]) => of(element)) }))}
      format={(value) => numberText(value)}
    />
  );
  const columns: readonly Column<Element>[] = [
    { key: 'start', label: m.reports_period(), cell: nameOf },
    ...[...counts, ...bySource].map(([label, of]) => ({
      key: label,
      label,
      numeric: true,
      cell: (element: Element) => numberText(of(element)),
    })),
  ];
  return (
    <>
      <div className={styles.charts}>
        {chart(m.reports_sent_by(), bySource)}
        {counts.map((count) => chart(count[0], [count]))}
      </div>
      <section>
        <h2 className={styles.heading}>{m.reports_table()}</h2>
        <Table label={m.reports_table()} columns={columns} rows={series} keyOf={({ start }) => start} />
      </section>
    </>
  );
}

type Seller = Summary['sellers'][number];

const sellerColumns: readonly Column<Seller>[] = [
  { key: 'name', label: m.reports_seller(), wide: true, cell: ({ name }) => name ?? m.reports_deleted_seller() },
  { key: 'leads', label: m.reports_assigned(), numeric: true, cell: ({ leads }) => numberText(leads) },
  { key: 'converted', label: m.reports_won(), numeric: true, cell: ({ converted }) => numberText(converted) },
];

function Sellers({ sellers }: { sellers: readonly Seller[] }) {
  if (sellers.length === 0) return null;
  return (
    <section>
      <h2 className={styles.heading}>{m.reports_sellers()}</h2>
      <Table label={m.reports_sellers()} columns={sellerColumns} rows={sellers} keyOf={({ seller_id }) => seller_id} />
    </section>
  );
}
