import { isDeepStrictEqual } from 'node:util';
import type { BookingReminder, FollowupCancelReason } from '@mostrador/contracts';
import { minuteMs } from '@mostrador/hours/local-days';
import type { AppointmentRow } from '../appointments/appointment.ts';
import type { FollowupRow } from '../followups/followup.ts';

const hourMs = 60 * minuteMs;

/** What of a follow-up comes from its rule and its appointment. */
export type ReminderContent = Pick<
  FollowupRow,
  'message' | 'template' | 'due_at' | 'expires_at' | 'reminder_start' | 'asks_confirmation'
>;

export type ReminderPlan = {
  readonly create: readonly (ReminderContent & { readonly reminder_minutes: number })[];
  readonly change: readonly { readonly row: FollowupRow; readonly content: ReminderContent }[];
  readonly cancel: readonly { readonly row: FollowupRow; readonly reason: OwnReason }[];
};

/** The reasons of the plan itself. A reminder that it cancelled can come back. */
const ownReasons = [
  'appointment_closed',
  'appointment_moved',
  'reminder_removed',
] as const satisfies FollowupCancelReason[];
type OwnReason = (typeof ownReasons)[number];

/**
 * What must happen to the reminders of an appointment, so that each rule has one for its beginning. A beginning that was
 * reminded of, or whose reminder was cancelled for another reason, gets no other. A time that has passed is left out.
 *
 * A correction is due at once when a message of the rule with a former beginning is on its way, or was sent after one with
 * the right beginning. The usual reminder then follows only if it is due more than an hour later.
 *
 * @param reminders those of the booking rules
 * @param existing all reminders that the appointment has had
 */
export function planReminders(
  { scheduled_at, status, lead_id }: Pick<AppointmentRow, 'scheduled_at' | 'status' | 'lead_id'>,
  reminders: readonly BookingReminder[],
  existing: readonly FollowupRow[],
  now: Date,
): ReminderPlan {
  const isOpen = status === 'scheduled' && lead_id !== null;
  const isOfStart = (row: FollowupRow) => row.reminder_start?.getTime() === scheduled_at.getTime();
  const kept = new Map<string, ReminderContent>();
  const create: (ReminderContent & { reminder_minutes: number })[] = [];
  for (const { minutes_before, message, template, ask_confirmation } of isOpen ? reminders : []) {
    const own = existing.filter(({ reminder_minutes }) => reminder_minutes === minutes_before);
    const content = {
      ...{ message, template, asks_confirmation: ask_confirmation, reminder_start: scheduled_at },
      due_at: new Date(scheduled_at.getTime() - minutes_before * minuteMs),
      expires_at: scheduled_at,
    };
    const pending = own.filter(({ status }) => status === 'pending');
    // One that is due already may still wait, for a sending window or a retry.
    for (const row of pending.filter(isOfStart)) kept.set(row.id, { ...content, due_at: row.due_at });
    const ofStart = own.filter(isOfStart);
    const others = own.filter((row) => isTold(row) && !isOfStart(row));
    const isOutdated = (row: FollowupRow) => isTold(row) && others.some((other) => begunAt(other) > begunAt(row));
    if (ofStart.some((row) => row.status === 'pending' || (isSettled(row) && !isOutdated(row)))) continue;
    const wrong = ofStart.some(isTold) ? others : others.filter(({ status }) => status === 'sending');
    const correctAt = wrong.length > 0 && scheduled_at > now ? after(wrong, now) : null;
    if (correctAt) create.push({ ...content, reminder_minutes: minutes_before, due_at: correctAt });
    const [row] = pending;
    if (content.due_at.getTime() <= (correctAt ? correctAt.getTime() + hourMs : now.getTime())) continue;
    if (row) kept.set(row.id, content);
    else create.push({ ...content, reminder_minutes: minutes_before });
  }
  const pending = existing.filter(({ status }) => status === 'pending');
  const isWanted = (row: FollowupRow) => reminders.some((each) => each.minutes_before === row.reminder_minutes);
  return {
    create,
    change: pending.flatMap((row) => {
      const content = kept.get(row.id);
      return content && !hasContent(row, content) ? [{ row, content }] : [];
    }),
    cancel: pending.flatMap((row) => {
      if (kept.has(row.id)) return [];
      const reason: OwnReason = !isOpen
        ? 'appointment_closed'
        : isWanted(row)
          ? 'appointment_moved'
          : 'reminder_removed';
      return [{ row, reason }];
    }),
  };
}

/** Messages that are on their way cannot be taken back. The moment from which on none of them is sent any more. */
const after = (rows: readonly FollowupRow[], now: Date): Date =>
  new Date(Math.max(now.getTime(), ...rows.map(({ lease_until }) => lease_until?.getTime() ?? 0)));

/** Whether the customer knows of it, or is told now. */
const isTold = ({ status }: FollowupRow): boolean => status === 'sending' || status === 'sent';
const begunAt = ({ first_attempt_at }: FollowupRow): number => first_attempt_at?.getTime() ?? 0;

/** Whether it was sent, or may have been, or it was decided elsewhere that it is not. */
const isSettled = ({ status, cancel_reason }: FollowupRow): boolean =>
  status !== 'pending' && !ownReasons.some((reason) => reason === cancel_reason);

const hasContent = (row: FollowupRow, content: ReminderContent): boolean =>
  Object.entries(content).every(([name, value]) => isDeepStrictEqual(row[name as keyof ReminderContent], value));
