import { isDeepStrictEqual } from 'node:util';
import {
  followupHorizonDays,
  maxFollowupMetadataBytes,
  type RequestOf,
  type updateFollowup,
  type ValidationFault,
} from '@mostrador/contracts';
import { changeMetadata } from '@mostrador/kit/database/metadata';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { FollowupRow } from './followup.ts';
import { expiresAfterMs } from './next-move.ts';
import { restored } from './restored.ts';

const horizonMs = followupHorizonDays * 24 * 60 * 60_000;
const heldMarginMs = 1000;

type Content = Pick<
  FollowupRow,
  | 'message'
  | 'template'
  | 'due_at'
  | 'cancel_on_reply'
  | 'cancel_on_appointment'
  | 'expires_at'
  | 'appointment_id'
  | 'metadata'
  | 'reminder_start'
  | 'asks_confirmation'
>;
type Plan = Pick<FollowupRow, 'next_attempt_at' | 'attempts' | 'first_attempt_at' | 'error_code' | 'error_detail'>;

/** What a change writes. */
export type FollowupChange = Content & Plan;

/**
 * The values of a pending follow-up after the patch, or null when the patch changes nothing. A new `due_at` begins the
 * attempts again. Only a follow-up that a restore holds stays held, because it may have been sent.
 *
 * @param plan when to try what is due at a moment
 * @throws AppError `validation_failed` as `futureMoment`, `assertExpiry` and `changeMetadata` do, and `assertBound` for a
 *   reminder
 */
export function changeFollowup(
  row: FollowupRow,
  patch: RequestOf<typeof updateFollowup>['body'],
  now: Date,
  plan: (dueAt: Date) => Date,
): FollowupChange | null {
  const { message, template, due_at, cancel_on_reply, cancel_on_appointment } = patch;
  const { expires_at, appointment_id, metadata } = patch;
  const isMoved = due_at !== undefined && toInstant(due_at).getTime() !== row.due_at.getTime();
  const before = contentOf(row);
  const changed: Content = {
    ...before,
    message: message ?? row.message,
    template: template === undefined ? row.template : template,
    due_at: isMoved ? futureMoment(due_at, now) : row.due_at,
    cancel_on_reply: cancel_on_reply ?? row.cancel_on_reply,
    cancel_on_appointment: cancel_on_appointment ?? row.cancel_on_appointment,
    expires_at: expires_at === undefined ? row.expires_at : expires_at === null ? null : toInstant(expires_at),
    appointment_id: appointment_id === undefined ? row.appointment_id : (appointment_id?.toLowerCase() ?? null),
    metadata: changeMetadata(row.metadata, metadata, maxFollowupMetadataBytes),
  };
  if (isDeepStrictEqual(changed, before)) return null;
  if (row.reminder_minutes !== null) assertBound(before, changed);
  const isExpiryNew = changed.expires_at?.getTime() !== row.expires_at?.getTime();
  if (isMoved || isExpiryNew) assertExpiry(changed, now, isExpiryNew ? 'expires_at' : 'due_at');
  return { ...changed, ...(isMoved ? planAgain(row, changed.due_at, plan) : planOf(row)) };
}

/**
 * @throws AppError `validation_failed` when a reminder gets another appointment, or could be sent after its beginning
 */
function assertBound(before: Content, changed: Content): void {
  const faults = (['appointment_id', 'expires_at'] as const)
    .filter((name) => !isDeepStrictEqual(before[name], changed[name]))
    .map((name) => ({ pointer: `#/${name}`, detail: 'cannot change: it is a reminder' }));
  if (faults.length > 0) throw validationFailed(faults);
}

/** The values of a pending follow-up with another content. A new `due_at` is as in `changeFollowup`, but may be any. */
export function replaceContent(
  row: FollowupRow,
  content: Partial<Content>,
  plan: (dueAt: Date) => Date,
): FollowupChange {
  const changed = { ...contentOf(row), ...content };
  const isMoved = changed.due_at.getTime() !== row.due_at.getTime();
  return { ...changed, ...(isMoved ? planAgain(row, changed.due_at, plan) : planOf(row)) };
}

function planAgain(row: FollowupRow, dueAt: Date, plan: (dueAt: Date) => Date): Plan {
  if (row.error_code === restored.code) {
    return { ...planOf(row), next_attempt_at: new Date(dueAt.getTime() + expiresAfterMs + heldMarginMs) };
  }
  return { next_attempt_at: plan(dueAt), attempts: 0, first_attempt_at: null, error_code: null, error_detail: null };
}

function contentOf(row: FollowupRow): Content {
  const { message, template, due_at, cancel_on_reply, cancel_on_appointment } = row;
  const { expires_at, appointment_id, metadata, reminder_start, asks_confirmation } = row;
  return {
    ...{ message, template, due_at, cancel_on_reply, cancel_on_appointment },
    ...{ expires_at, appointment_id, metadata, reminder_start, asks_confirmation },
  };
}

function planOf({ next_attempt_at, attempts, first_attempt_at, error_code, error_detail }: FollowupRow): Plan {
  return { next_attempt_at, attempts, first_attempt_at, error_code, error_detail };
}

/**
 * A `due_at` of a request. `now` is PostgreSQL's clock, which also decides when the follow-up is due.
 *
 * @throws AppError `validation_failed` when it is past, or beyond the horizon
 */
export function futureMoment(due_at: string, now: Date): Date {
  const dueAt = toInstant(due_at);
  if (dueAt < now) throw validationFailed([{ pointer: '#/due_at', detail: 'must not be in the past' }]);
  if (dueAt.getTime() > now.getTime() + horizonMs) {
    const detail = `must be at most ${followupHorizonDays} days ahead`;
    throw validationFailed([{ pointer: '#/due_at', detail }]);
  }
  return dueAt;
}

const mustFollowDue = 'must be after `due_at`';

/** What is wrong with the moments of a request, whatever the follow-up is. */
export const faultsOfExpiry = ({
  due_at,
  expires_at,
}: {
  readonly due_at?: string | undefined;
  readonly expires_at?: string | null | undefined;
}): ValidationFault[] =>
  due_at && expires_at && toInstant(expires_at) <= toInstant(due_at)
    ? [{ pointer: '#/expires_at', detail: mustFollowDue }]
    : [];

/**
 * Whether a follow-up may expire at `expires_at`.
 *
 * @param named the member of the request that a fault names
 * @throws AppError `validation_failed` when it is past, or not after `due_at`
 */
export function assertExpiry(
  { due_at, expires_at }: Pick<FollowupRow, 'due_at' | 'expires_at'>,
  now: Date,
  named: 'due_at' | 'expires_at' = 'expires_at',
): void {
  if (expires_at === null) return;
  const fault = (detail: string) => validationFailed([{ pointer: `#/${named}`, detail }]);
  if (named === 'due_at' && due_at >= expires_at) throw fault('must be before `expires_at`; change that, too');
  if (due_at >= expires_at) throw fault(mustFollowDue);
  if (named === 'expires_at' && expires_at <= now) throw fault('must not be in the past');
}
