import { faultsOfTemplate, updateFollowup as operation } from '@mostrador/contracts';
import { assertIfMatch } from '@mostrador/kit/database/etag';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError, allChecks, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { requireAppointment } from '../appointments/require-appointment.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeFollowup, faultsOfExpiry } from './change-followup.ts';
import { assertTemplate } from './check-template.ts';
import { lockFollowup, saveFollowup } from './followup.repository.ts';
import { followupEtag, followupEvents, notPending, toFollowup, wakeFollowup } from './followup.ts';
import { planAttempt } from './sending-window.ts';
import { findSendingWindows } from './sending-windows.repository.ts';
import { zoneFor } from './store-zone.ts';

/**
 * A change and the claim of a step exclude each other, because both lock the row, and only one of them finds it
 * `pending`. The wake-up makes the workflow read the new time.
 */
export const updateFollowup =
  ({ database, rpc, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { params, body }) => {
    const { storeId } = context;
    const faults = [...faultsOfExpiry(body), ...faultsOfTemplate(body.template)];
    if (faults.length > 0) throw validationFailed(faults);
    const result = await withIdempotency({
      database,
      context,
      operation,
      run: async (commit) => {
        await allChecks([
          assertTemplate(rpc, context, body.template),
          requireAppointment(database, context, body.appointment_id),
        ]);
        const windows = body.due_at ? await database.read(context, (sql) => findSendingWindows(sql, storeId)) : [];
        const zone = await zoneFor(windows, rpc, context);
        return await commit(async (sql) => {
          const found = await lockFollowup(sql, storeId, params.followupId);
          if (!found) throw new AppError('followup_not_found');
          const { followup, now } = found;
          assertIfMatch(context, followup.version);
          if (followup.status !== 'pending') throw notPending(followup, 'changed');
          const change = changeFollowup(followup, body, now, (dueAt) => planAttempt(windows, zone, dueAt, followup.id));
          if (!change) return followup;

          const saved = await saveFollowup(sql, storeId, followup.id, change);
          await appendOutbox(sql, storeId, [
            wakeFollowup(saved, 'rescheduled'),
            ...followupEvents.updated(followup, saved),
          ]);
          return saved;
        });
      },
      toReply: toFollowup,
      etag: followupEtag,
    });
    relay.nudge();
    return result;
  };
