import type { Followup, FollowupCancelReason, FollowupStatus, MessageTemplate, SignalOf } from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import type { Metadata } from '@mostrador/kit/database/metadata';
import { type OutboxEntry, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import { fingerprintOf } from '@mostrador/kit/rpc/fingerprint';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

/** A row of `followups`. `version` rises with changes by the API's users, not with those of a step. */
export type FollowupRow = {
  readonly id: string;
  readonly lead_id: string;
  readonly message: string;
  readonly template: MessageTemplate | null;
  readonly due_at: Date;
  readonly next_attempt_at: Date | null;
  readonly status: FollowupStatus;
  readonly message_id: string | null;
  readonly error_code: string | null;
  readonly error_detail: string | null;
  readonly cancel_reason: FollowupCancelReason | null;
  readonly cancel_on_reply: boolean;
  readonly cancel_on_appointment: boolean;
  readonly expires_at: Date | null;
  readonly appointment_id: string | null;
  readonly metadata: Metadata;
  /** Only a reminder of the booking rules has it: its minutes before the appointment. */
  readonly reminder_minutes: number | null;
  /** The beginning of the appointment that a reminder is about. */
  readonly reminder_start: Date | null;
  readonly asks_confirmation: boolean;
  readonly attempts: number;
  readonly first_attempt_at: Date | null;
  readonly lease_until: Date | null;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
};

/** The ids in wake-ups. */
export type Named = { readonly id: string; readonly lead_id: string };

/** The wake-up of a follow-up's workflow. */
export const wakeFollowup = ({ id, lead_id }: Named, signal: SignalOf<'followup'>): OutboxEntry =>
  wakeWorkflow('followup', id, signal, lead_id);

/** The row as the API shows it. */
export function toFollowup(row: FollowupRow): Followup {
  return {
    id: row.id,
    lead_id: row.lead_id,
    message: row.message,
    template: row.template,
    due_at: toTimestamp(row.due_at),
    next_attempt_at: row.next_attempt_at && toTimestamp(row.next_attempt_at),
    status: row.status,
    message_id: row.message_id,
    error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? '' },
    cancel_reason: row.cancel_reason,
    cancel_on_reply: row.cancel_on_reply,
    cancel_on_appointment: row.cancel_on_appointment,
    expires_at: row.expires_at && toTimestamp(row.expires_at),
    appointment_id: row.appointment_id,
    reminder:
      row.reminder_minutes === null
        ? null
        : { minutes_before: row.reminder_minutes, ask_confirmation: row.asks_confirmation },
    metadata: row.metadata,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

/** The ETag of the follow-up as `toFollowup` shows it. `If-Match` compares only the version. */
export const followupEtag = (row: FollowupRow): string =>
  etagOf(row.version, fingerprintOf(toFollowup(row)).slice(0, 12));

export const notPending = ({ status }: FollowupRow, asked: 'cancelled' | 'changed'): AppError =>
  new AppError('followup_not_pending', {
    detail: `The follow-up is ${status}. Only a pending follow-up can be ${asked}.`,
    members: { current_status: status },
  });

const about = ({ id, lead_id }: Named) => ({ followup_id: id, lead_id });
const shown = (row: FollowupRow) =>
  ({ kind: 'feed', entityId: row.id, etag: followupEtag(row), object: toFollowup(row) }) as const;
const dueOf = (row: FollowupRow) => ({ ...about(row), due_at: toTimestamp(row.due_at) });

/** Creates the entries of follow-up events from the saved row. */
export const followupEvents = {
  scheduled: (row: FollowupRow): OutboxEntry[] => [
    { kind: 'event', type: 'scheduling.followup.scheduled', data: dueOf(row) },
    { ...shown(row), type: 'followup.scheduled', data: dueOf(row) },
  ],
  updated: (before: FollowupRow, row: FollowupRow): OutboxEntry[] => [
    { kind: 'event', type: 'scheduling.followup.updated', data: dueOf(row) },
    { ...shown(row), type: 'followup.updated', data: dueOf(row), before: toFollowup(before) },
  ],
  sent(row: FollowupRow): OutboxEntry[] {
    // The message of a follow-up has the follow-up's id.
    const data = { ...about(row), message_id: row.id };
    return [
      { kind: 'event', type: 'scheduling.followup.sent', data },
      { ...shown(row), type: 'followup.sent', data },
    ];
  },
  failed(row: FollowupRow, code: string): OutboxEntry[] {
    const data = { ...about(row), code };
    return [
      { kind: 'event', type: 'scheduling.followup.failed', data },
      { ...shown(row), type: 'followup.failed', data },
    ];
  },
  cancelled(row: FollowupRow, reason: FollowupCancelReason): OutboxEntry[] {
    const data = { ...about(row), reason };
    return [
      { kind: 'event', type: 'scheduling.followup.cancelled', data },
      { ...shown(row), type: 'followup.cancelled', data },
    ];
  },
};
