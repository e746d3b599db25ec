import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  Bot,
  CalendarClock,
  CalendarDays,
  CircleDot,
  Clock,
  type LucideIcon,
  MessageSquare,
  Plug,
  UserPlus,
  UserRound,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { Appointment, Lead, Message, MessageSource } from '../api/platform.ts';
import { sellersQuery, sessionQuery } from '../api/queries.ts';
import { kindOfAppointment, wordsOfAppointment } from '../calendar/appointment-words.ts';
import { useCancelling } from '../followups/cancelling.ts';
import { FollowupMenu } from '../followups/followup-menu.tsx';
import { FollowupStatusBadge, whyOf } from '../followups/followup-status.tsx';
import { previewOf } from '../inbox/message-words.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Moment, StoreTime } from '../ui/moment.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import styles from './lead.module.css';
import {
  appointmentsOfLeadQuery,
  changesOfLeadQuery,
  followupsOfLeadQuery,
  lastMessagesQuery,
  shownMessages,
} from './queries.ts';
import { type Entry, timelineOf } from './timeline.ts';
import { wordsOfStatus } from './words.ts';

/** What is planned with the lead, and what has been. */
export function LeadTimeline({ lead }: { lead: Lead }) {
  const { data: session } = useQuery(sessionQuery);
  const messages = useQuery(lastMessagesQuery(lead.id));
  const appointments = useQuery(appointmentsOfLeadQuery(lead.id));
  const followups = useQuery(followupsOfLeadQuery(lead.id));
  // Sellers may not read the event log, and the timeline is whole enough without it.
  const changes = useQuery({
    ...changesOfLeadQuery(lead.id),
    enabled: session !== undefined && session.role !== 'seller',
  });
  const cancelling = useCancelling();
  const failed = [messages, appointments, followups].find(({ error, data }) => error && !data);
  if (failed) return <LoadFailed error={failed.error} retry={failed.refetch} />;
  if (!messages.data || !appointments.data || !followups.data) return <Loading />;
  const shown = followups.data.filter(({ id }) => !cancelling.has(id));
  const parts = { messages: messages.data, appointments: appointments.data, followups: shown };
  const { ahead, past } = timelineOf({ lead, ...parts, events: changes.data ?? [] }, Date.now());
  return (
    <div className={styles.timeline}>
      <section aria-labelledby="lead-ahead">
        <h2 id="lead-ahead">{m.leads_ahead()}</h2>
        {ahead.length === 0 ? <p className={styles.soft}>{m.leads_ahead_none()}</p> : <Entries entries={ahead} />}
      </section>
      <section aria-labelledby="lead-past">
        <h2 id="lead-past">{m.leads_past()}</h2>
        <Entries entries={past} />
        {messages.data.length >= shownMessages && (
          <p>
            <Link to="/inbox/$leadId" params={{ leadId: lead.id }}>
              {m.leads_all_messages()}
            </Link>
          </p>
        )}
      </section>
    </div>
  );
}

const Loading = () => (
  <div className={styles.timeline} aria-busy="true">
    {[1, 2, 3].map((row) => (
      <Skeleton key={row} width="full" />
    ))}
  </div>
);

const Entries = ({ entries }: { entries: readonly Entry[] }) => (
  <ol className={styles.entries}>
    {entries.map((entry) => (
      <EntryRow key={entry.id + entry.kind} entry={entry} />
    ))}
  </ol>
);

function EntryRow({ entry }: { entry: Entry }) {
  if (entry.kind === 'message') return <MessageRow message={entry.message} />;
  if (entry.kind === 'appointment') return <AppointmentRow appointment={entry.appointment} />;
  if (entry.kind === 'followup') {
    const { followup } = entry;
    const isOpen = followup.status === 'pending' || followup.status === 'sending';
    return (
      <Row
        icon={Clock}
        title={followup.reminder ? m.followups_reminder() : m.leads_followup()}
        at={isOpen ? <StoreTime at={entry.at} /> : <Moment at={entry.at} relative />}
        badge={<FollowupStatusBadge status={followup.status} />}
        text={followup.message}
        note={whyOf(followup)}
        actions={followup.status === 'pending' && <FollowupMenu followup={followup} />}
      />
    );
  }
  if (entry.kind === 'status') {
    const words = { from: wordsOfStatus(entry.from), to: wordsOfStatus(entry.to) };
    return <Row icon={CircleDot} title={m.leads_status_changed(words)} at={<Moment at={entry.at} relative />} />;
  }
  if (entry.kind === 'seller') return <SellerRow to={entry.to} at={entry.at} />;
  return <Row icon={UserPlus} title={m.leads_was_created()} at={<Moment at={entry.at} relative />} />;
}

type RowProps = {
  readonly icon: LucideIcon;
  readonly title: ReactNode;
  readonly at: ReactNode;
  readonly badge?: ReactNode;
  readonly text?: string;
  readonly note?: string | undefined;
  readonly actions?: ReactNode;
  readonly isApi?: boolean;
};

const Row = ({ icon: Icon, title, at, badge, text, note, actions, isApi = false }: RowProps) => (
  <li className={styles.entry} data-api={isApi || undefined}>
    <Icon size={14} aria-hidden className={styles.icon} />
    <div className={styles.entryBody}>
      <div className={styles.entryHead}>
        <span className={styles.entryTitle}>{title}</span>
        {badge}
        <span className={styles.soft}>{at}</span>
      </div>
      {text && (
        <p className={styles.text} dir="auto">
          {text}
        </p>
      )}
      {note && <p className={styles.soft}>{note}</p>}
    </div>
    {actions}
  </li>
);

const sources: Readonly<Record<MessageSource, () => string>> = {
  lead: m.leads_from_lead,
  seller: m.leads_from_seller,
  ai: m.leads_from_ai,
  followup: m.leads_followup,
  api: m.leads_from_api,
};

const icons: Readonly<Record<MessageSource, LucideIcon>> = {
  lead: MessageSquare,
  seller: UserRound,
  ai: Bot,
  followup: CalendarClock,
  api: Plug,
};

const MessageRow = ({ message }: { message: Message }) => {
  const { source, created_at, status } = message;
  return (
    <Row
      icon={icons[source]}
      title={sources[source]()}
      at={<Moment at={created_at} relative />}
      badge={
        source === 'api' ? (
          <Badge kind="api" icon={<Plug size={12} aria-hidden />}>
            {m.leads_via_api()}
          </Badge>
        ) : (
          status === 'failed' && <Badge kind="bad">{m.leads_not_sent()}</Badge>
        )
      }
      text={previewOf(message)}
      isApi={source === 'api'}
    />
  );
};

const AppointmentRow = ({ appointment: { id, title, scheduled_at, status, notes } }: { appointment: Appointment }) => (
  <Row
    icon={CalendarDays}
    title={
      <Link to="/calendar" search={{ appointment: id }} className={styles.link}>
        <bdi>{title}</bdi>
      </Link>
    }
    at={<StoreTime at={scheduled_at} />}
    badge={<Badge kind={kindOfAppointment(status)}>{wordsOfAppointment(status)}</Badge>}
    {...(notes !== null && { text: notes })}
  />
);

function SellerRow({ to, at }: { to: string | null; at: string }) {
  const { data: sellers = [] } = useQuery(sellersQuery);
  const name = sellers.find(({ id }) => id === to)?.name ?? m.leads_other_seller();
  const title = to === null ? m.leads_seller_none() : m.leads_seller_is({ name });
  return <Row icon={UserRound} title={title} at={<Moment at={at} relative />} />;
}
