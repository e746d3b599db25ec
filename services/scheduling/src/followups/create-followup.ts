import {
  checkLead,
  faultsOfTemplate,
  getOptOut,
  maxFollowupMetadataBytes,
  createFollowup as operation,
  type RequestOf,
  type ValidationFault,
} from '@mostrador/contracts';
import { changeMetadata } from '@mostrador/kit/database/metadata';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { requireAppointment } from '../appointments/require-appointment.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertExpiry, futureMoment, mustFollowDue } from './change-followup.ts';
import { assertTemplate } from './check-template.ts';
import { beginFollowup, insertFollowup } from './followup.repository.ts';
import { followupEtag, followupEvents, toFollowup, wakeFollowup } from './followup.ts';
import { planAttempt } from './sending-window.ts';
import { findSendingWindows } from './sending-windows.repository.ts';
import { zoneFor } from './store-zone.ts';

const minuteMs = 60_000;

type Body = RequestOf<typeof operation>['body'];

export const createFollowup =
  ({ database, rpc, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const metadata = changeMetadata({}, body.metadata, maxFollowupMetadataBytes);
    const appointmentId = body.appointment_id ?? null;
    const faults = [...faultsOfMoment(body), ...faultsOfTemplate(body.template)];
    if (faults.length > 0) throw validationFailed(faults);
    const result = await withIdempotency({
      database,
      context,
      operation,
      run: async (commit) => {
        // Asked at the same time as the rest, and told after it: what a request refers to comes first.
        const consent = assertNotOptedOut(rpc, context, body.lead_id);
        consent.catch(() => {});
        const template = assertTemplate(rpc, context, body.template);
        template.catch(() => {});
        const [, windows] = await Promise.all([
          rpc.call(checkLead, { body: { lead_id: body.lead_id } }, context),
          database.read(context, (sql) => findSendingWindows(sql, storeId)),
        ]);
        await requireAppointment(database, context, appointmentId);
        await consent;
        await template;
        const zone = await zoneFor(windows, rpc, context);
        return await commit(async (sql) => {
          const { now, id } = await beginFollowup(sql);
          const dueAt = dueAtOf(body, now);
          const expiresAt = body.expires_at ? toInstant(body.expires_at) : null;
          assertExpiry({ due_at: dueAt, expires_at: expiresAt }, now);
          const row = await insertFollowup(sql, storeId, id, {
            lead_id: body.lead_id,
            message: body.message,
            template: body.template ?? null,
            due_at: dueAt,
            next_attempt_at: planAttempt(windows, zone, dueAt, id),
            cancel_on_reply: body.cancel_on_reply ?? true,
            cancel_on_appointment: body.cancel_on_appointment ?? false,
            expires_at: expiresAt,
            appointment_id: appointmentId,
            metadata,
            created_at: now,
          });
          await appendOutbox(sql, storeId, [wakeFollowup(row, 'scheduled'), ...followupEvents.scheduled(row)]);
          return row;
        });
      },
      toReply: toFollowup,
      etag: followupEtag,
    });
    relay.nudge();
    return result;
  };

/** How long messaging may take to say whether the lead has opted out. */
const optOutLimitMs = 1_000;

/**
 * Throws `lead_opted_out`. Without an answer of messaging the follow-up is accepted, because messaging checks again when
 * it fires.
 */
async function assertNotOptedOut(rpc: Dependencies['rpc'], context: StoreContext, leadId: string): Promise<void> {
  const deadline = Math.min(context.deadline, Date.now() + optOutLimitMs);
  try {
    const { opted_out_at } = await rpc.call(getOptOut, { body: { lead_id: leadId } }, { ...context, deadline });
    if (opted_out_at === null) return;
  } catch (error) {
    if (error instanceof AppError && (error.code === 'service_unavailable' || error.code === 'upstream_timeout'))
      return;
    throw error;
  }
  throw new AppError('lead_opted_out');
}

function faultsOfMoment({ due_at, delay_minutes, expires_at }: Body): ValidationFault[] {
  if (due_at === undefined && delay_minutes === undefined) {
    return [{ pointer: '#', detail: 'must have one of `due_at` and `delay_minutes`' }];
  }
  if (due_at === undefined) return [];
  if (delay_minutes === undefined) {
    const isAfter = !expires_at || toInstant(expires_at) > toInstant(due_at);
    return isAfter ? [] : [{ pointer: '#/expires_at', detail: mustFollowDue }];
  }
  return [
    { pointer: '#/due_at', detail: 'cannot be combined with `delay_minutes`; send only one' },
    { pointer: '#/delay_minutes', detail: 'cannot be combined with `due_at`; send only one' },
  ];
}

/** `now` is PostgreSQL's clock, which also decides when the follow-up is due. */
function dueAtOf({ due_at, delay_minutes = 0 }: Body, now: Date): Date {
  return due_at === undefined ? new Date(now.getTime() + delay_minutes * minuteMs) : futureMoment(due_at, now);
}
