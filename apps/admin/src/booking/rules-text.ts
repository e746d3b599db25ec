import type { BookingRules, OpeningHours } from '@mostrador/contracts';
import { record } from '../terminal.ts';

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const spanOf = ({ from, to }: { readonly from: string; readonly to: string }) => `${from}–${to}`;

/** Weekly hours as a person reads them. `whenNull` says what null means. */
export const hoursText = (hours: readonly OpeningHours[] | null, whenNull: string): string =>
  hours === null
    ? whenNull
    : hours.map((opening) => `${weekdays[opening.weekday - 1]} ${spanOf(opening)}`).join(', ') || 'never';

/** Booking rules as a person reads them. */
export const rulesRecord = (rules: BookingRules): string =>
  record({
    overlaps: rules.overlap === 'reject' ? 'rejected' : 'allowed',
    capacity: rules.capacity,
    'minutes between starts': rules.slot_step_minutes,
    'buffer minutes': `${rules.buffer_before_minutes} before, ${rules.buffer_after_minutes} after`,
    'minimum notice': `${rules.minimum_notice_minutes} minutes`,
    horizon: `${rules.horizon_days} days`,
    hours: hoursText(rules.hours, 'always'),
    'outside of the hours': rules.outside_hours === 'reject' ? 'rejected' : 'allowed',
    exceptions:
      rules.exceptions.map(({ date, hours }) => `${date} ${hours.map(spanOf).join(' ') || 'closed'}`).join(', ') ||
      null,
    reminders:
      rules.reminders
        .map(
          ({ minutes_before, ask_confirmation }) =>
            `${minutes_before} minutes before${ask_confirmation ? ', asks' : ''}`,
        )
        .join('; ') || null,
    'words to confirm': rules.confirm_words.join(', '),
    'words to cancel': rules.cancel_words.join(', '),
  });
