import { momentText } from '@mostrador/hours/clock';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { type Attempt, answer, type Claim, type ClaimNext } from '@mostrador/kit/step/retry-engine';
import { done, lookAgain, recordingMs, stepLimits, waitUntil } from '@mostrador/kit/step/step';
import { findReminded, type Reminded } from '../reminders/reminder.repository.ts';
import { fillReminder, type ReminderValues } from '../reminders/reminder-text.ts';
import { claim, failUnsent, postpone } from './attempt.repository.ts';
import { lockFollowup, saveCancellation } from './followup.repository.ts';
import { type FollowupRow, followupEvents } from './followup.ts';
import { expired, nextLook, nextMove, outsideWindow, type Situation } from './next-move.ts';
import { findSendingWindows } from './sending-windows.repository.ts';

/** A claimed attempt. */
export type Claimed = {
  readonly attempt: Attempt;
  readonly firstAttemptAt: Date;
  /** The row before the claim. */
  readonly followup: FollowupRow;
  /** Epoch milliseconds. The outcome must be recorded before this moment, while the lease is valid. */
  readonly recordBy: number;
};

type Reader = {
  readonly name: string;
  readonly timezone: string;
  readonly locale: string;
  /** Where the lead’s calendar gets the appointment. */
  readonly calendarLink: string;
};

/** What a step has looked up before it claims. */
export type Prepared = Pick<Situation, 'zone'> & {
  /** For a reminder, whose placeholders the claim fills in. */
  readonly reader?: Reader | undefined;
};

/** Claims a follow-up when an attempt is due, or answers why none is. A claimed follow-up cannot be cancelled. */
export const claimNext: ClaimNext<Claim<Claimed>, Prepared> = async (sql, row, { zone, reader }) => {
  const { storeId, id } = row;
  const found = await lockFollowup(sql, storeId, id);
  const isPending = found?.followup.status === 'pending';
  const windows = isPending ? await findSendingWindows(sql, storeId) : [];
  const isReminder = isPending && found.followup.reminder_minutes !== null;
  const reminded = isReminder ? await findReminded(sql, storeId, found.followup) : undefined;
  const move = nextMove({ followup: found?.followup, now: found?.now ?? new Date(), windows, zone, reminded });
  switch (move.kind) {
    case 'answer':
      return move;
    case 'cancel': {
      const cancelled = await saveCancellation(sql, storeId, id, move.reason);
      await appendOutbox(sql, storeId, followupEvents.cancelled(cancelled, move.reason));
      return answer(done(`cancelled (${move.reason})`));
    }
    case 'expire':
      await appendOutbox(sql, storeId, followupEvents.failed(await failUnsent(sql, row, expired), expired.code));
      return answer(done(`failed (${expired.code})`));
    case 'postpone':
      await postpone(sql, row, move.until);
      return answer(waitUntil(nextLook(move.followup, move.until), outsideWindow));
    case 'claim': {
      if (reminded && !reader) return answer(lookAgain('the follow-up has just become pending'));
      // Under the lock, so that it tells of the appointment as it is. The row keeps it: a repeated attempt says the same.
      const filled = reminded && reader && fillReminder(move.followup, valuesOf(reminded, reader));
      const begun = await claim(sql, row, stepLimits.leaseMs, filled ?? move.followup);
      const recordBy = Date.now() + stepLimits.leaseMs - recordingMs;
      return { kind: 'claimed', claimed: { ...begun, followup: { ...move.followup, ...filled }, recordBy } };
    }
  }
};

const valuesOf =
  ({ service, scheduled_at }: Reminded, { timezone, ...reader }: Reader) =>
  (locale = reader.locale): ReminderValues => ({
    name: reader.name,
    service,
    time: momentText(scheduled_at, { timezone, locale }),
    calendar_link: reader.calendarLink,
  });
