import { m } from '../paraglide/messages.js';
import { numberText } from '../ui/numbers.ts';
import { OutsideLink } from '../ui/outside-link.tsx';
import { type Column, Table } from '../ui/table.tsx';
import type { Summary } from './queries.ts';
import styles from './reports.module.css';

type Ad = NonNullable<Summary['conversations']['by_ad']>[number];

const columns: readonly Column<Ad>[] = [
  { key: 'ad', label: m.reports_ad(), wide: true, cell: nameOf },
  { key: 'messages', label: m.reports_received(), numeric: true, cell: ({ messages }) => numberText(messages) },
  { key: 'leads', label: m.reports_ad_leads(), numeric: true, cell: ({ leads }) => numberText(leads) },
  { key: 'new_leads', label: m.reports_leads(), numeric: true, cell: ({ new_leads }) => numberText(new_leads) },
];

function nameOf({ source_type, source_id, source_url, headline }: Ad) {
  const kind = source_type === 'post' ? m.inbox_from_post() : m.inbox_from_ad();
  const name = headline ?? source_id ?? kind;
  const isPage = source_url !== null && /^https?:/i.test(source_url);
  return <span dir="auto">{isPage ? <OutsideLink to={source_url}>{name}</OutsideLink> : name}</span>;
}

/** Who came from which ad or post. */
export function Ads({ ads = [] }: { ads: readonly Ad[] | undefined }) {
  if (ads.length === 0) return null;
  return (
    <section>
      <h2 className={styles.heading}>{m.reports_ads()}</h2>
      <Table
        label={m.reports_ads()}
        columns={columns}
        rows={ads}
        keyOf={({ source_type, source_id, source_url }) => `${source_type} ${source_id ?? source_url}`}
      />
    </section>
  );
}
