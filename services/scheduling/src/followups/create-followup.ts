import {
  checkLead,
  faultsOfTemplate,
  getOptOut,
  maxFollowupMetadataBytes,
  createFollowup as operation,
  type RequestOf,
  type ValidationFault,
} from '@mostrador/contracts';
import { readClock } from '@mostrador/kit/database/clock.repository';
import { changeMetadata } from '@mostrador/kit/database/metadata';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError, allChecks, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { requireAppointment } from '../appointments/require-appointment.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertExpiry, faultsOfExpiry, futureMoment } from './change-followup.ts';
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
        const checks = allChecks([
          assertTemplate(rpc, context, body.template),
          rpc.call(checkLead, { body: { lead_id: body.lead_id } }, context),
          requireAppointment(database, context, appointmentId),
          assertNotOptedOut(rpc, context, body.lead_id),
        ]);
        checks.catch(() => {});
        const [windows, asked] = await database.read(context, (sql) =>
          Promise.all([findSendingWindows(sql, storeId), readClock(sql)]),
        );
        momentsOf(body, asked);
        await checks;
        const zone = await zoneFor(windows, rpc, context);
        return await commit(async (sql) => {
          const { now, id } = await beginFollowup(sql);
          const moments = momentsOf(body, now);
          const row = await insertFollowup(sql, storeId, id, {
            lead_id: body.lead_id,
            message: body.message,
            template: body.template ?? null,
            ...moments,
            next_attempt_at: planAttempt(windows, zone, moments.due_at, id),
            cancel_on_reply: body.cancel_on_reply ?? true,
            cancel_on_appointment: body.cancel_on_appointment ?? false,
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
  if (delay_minutes === undefined) return faultsOfExpiry({ due_at, expires_at });
  return [
    { pointer: '#/due_at', detail: 'cannot be combined with `delay_minutes`; send only one' },
    { pointer: '#/delay_minutes', detail: 'cannot be combined with `due_at`; send only one' },
  ];
}

/**
 * When the follow-up is due, and when it expires. `now` is PostgreSQL's clock, which also decides when it is due.
 *
 * @throws AppError `validation_failed` as `futureMoment` and `assertExpiry` do
 */
function momentsOf({ due_at, delay_minutes = 0, expires_at }: Body, now: Date) {
  const moments = {
    due_at: due_at === undefined ? new Date(now.getTime() + delay_minutes * minuteMs) : futureMoment(due_at, now),
    expires_at: expires_at ? toInstant(expires_at) : null,
  };
  assertExpiry(moments, now);
  return moments;
}
