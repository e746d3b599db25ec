import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BellRing } from 'lucide-react';
import type { Followup } from '../api/platform.ts';
import { sessionQuery } from '../api/queries.ts';
import { useCancelling } from '../followups/cancelling.ts';
import { FollowupMenu } from '../followups/followup-menu.tsx';
import { FollowupStatusBadge, whyOf } from '../followups/followup-status.tsx';
import { remindersQuery } from '../followups/queries.ts';
import { m } from '../paraglide/messages.js';
import { StoreTime } from '../ui/moment.tsx';
import styles from './appointment.module.css';
import type { Appointment } from './appointment-queries.ts';
import type { Booking } from './booking.ts';

type RemindersProps = { readonly appointment: Appointment; readonly booking: Booking | null | undefined };

/** When the customer is reminded of the appointment, and what became of it. */
export function Reminders({ appointment, booking }: RemindersProps) {
  const { id, lead_id, status } = appointment;
  const { data: session } = useQuery(sessionQuery);
  const { data } = useQuery({ ...remindersQuery(id, lead_id ?? ''), enabled: lead_id !== null });
  const cancelling = useCancelling();
  const shown = data?.filter((reminder) => !cancelling.has(reminder.id) && isStillAbout(reminder)) ?? [];
  const isExpected = status === 'scheduled' && (booking?.rules.reminders.length ?? 0) > 0;
  if (lead_id === null || !data || (shown.length === 0 && !isExpected)) return null;
  return (
    <section className={styles.sync} aria-label={m.calendar_reminders()}>
      <p className={styles.syncState}>
        <BellRing size={14} aria-hidden />
        {m.calendar_reminders()}
      </p>
      {shown.length === 0 && <p>{m.calendar_reminders_none()}</p>}
      <ul className={styles.reminders}>
        {shown.map((reminder) => (
          <li key={reminder.id} className={styles.reminder}>
            <span>
              <StoreTime at={reminder.next_attempt_at ?? reminder.due_at} />
              {reminder.error || reminder.cancel_reason ? (
                <span className={styles.soft}> {whyOf(reminder)}</span>
              ) : null}
            </span>
            <FollowupStatusBadge status={reminder.status} />
            {reminder.status === 'pending' && <FollowupMenu followup={reminder} />}
          </li>
        ))}
      </ul>
      {session && session.role !== 'seller' && <Link to="/settings/booking">{m.calendar_reminders_change()}</Link>}
    </section>
  );
}

/** Not those that ended because the appointment, or the rules, changed. */
const isStillAbout = ({ reminder, cancel_reason }: Followup): boolean =>
  reminder !== null &&
  cancel_reason !== 'appointment_moved' &&
  cancel_reason !== 'appointment_closed' &&
  cancel_reason !== 'reminder_removed';
