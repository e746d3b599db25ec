import { m } from '../paraglide/messages.js';
import { numberText } from '../ui/numbers.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { duration, share } from './formats.ts';
import type { Summary } from './queries.ts';
import styles from './reports.module.css';

/** The numbers of the whole period. */
export function Totals({ data }: { data: Summary | undefined }) {
  return (
    <dl className={styles.totals}>
      {figuresOf(data).map(([name, value, about]) => (
        <div key={name} className={styles.total}>
          <dt>{name}</dt>
          <dd className={styles.value}>{value ?? <Skeleton width="short" />}</dd>
          <dd className={styles.about}>{about ?? <Skeleton width="long" />}</dd>
        </div>
      ))}
    </dl>
  );
}

type Figure = readonly [name: string, value?: string, about?: string];

function figuresOf(data: Summary | undefined): Figure[] {
  const names = [
    m.reports_leads(),
    m.reports_received(),
    m.reports_sent(),
    m.reports_response(),
    m.reports_appointments(),
    m.reports_followups(),
  ];
  if (!data) return names.map((name) => [name]);
  const { leads, conversations, appointments, followups } = data;
  const { ai, seller, api, followup } = conversations.messages_outbound;
  const { p50, p90 } = conversations.first_response_seconds;
  const failed = (count: number) => m.reports_failed({ count: numberText(count) });
  const values: (readonly [string, string])[] = [
    [numberText(leads.created), m.reports_converted({ rate: share(leads.conversion_rate) })],
    [
      numberText(conversations.messages_inbound),
      m.reports_sessions({ count: numberText(conversations.sessions_started) }),
    ],
    [numberText(ai + seller + api + followup), failed(conversations.messages_failed)],
    [duration(p50), p90 === null ? m.reports_response_none() : m.reports_response_slow({ time: duration(p90) })],
    [numberText(appointments.created), m.reports_no_show({ count: numberText(appointments.by_status.no_show) })],
    [numberText(followups.sent), failed(followups.failed)],
  ];
  return names.map((name, index) => [name, ...(values[index] ?? [])] as Figure);
}
