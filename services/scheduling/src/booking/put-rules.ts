import {
  type BookingRules,
  faultsOfRules,
  getStoreSettings,
  putBookingRules as operation,
  type RequestOf,
} from '@mostrador/contracts';
import { assertIfMatch, etagOf, versionMismatch } from '@mostrador/kit/database/etag';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { lockCalendarConnectionForUpdate } from '../calendars/connection.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertTemplates } from '../reminders/assert-templates.ts';
import { remindComing } from '../reminders/remind-coming.ts';
import { deleteAllBookings } from './booking.repository.ts';
import { bookingChanged } from './booking-changed.ts';
import { placeExisting } from './place-existing.ts';
import { lockRules, saveRules } from './rules.repository.ts';
import { toRules } from './rules.ts';

export const putRules =
  ({ database, rpc, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const rules = rulesOf(body);
    const faults = faultsOfRules(rules);
    if (faults.length > 0) throw validationFailed(faults);
    const result = await withIdempotency({
      database,
      context,
      operation,
      run: async (commit) => {
        await assertTemplates({ database, rpc }, context, rules.reminders);
        const { timezone } = await rpc.call(getStoreSettings, {}, context);
        return await commit(async (sql) => {
          // Every transaction that writes an appointment shares this lock, so none misses the first rules of a store.
          await lockCalendarConnectionForUpdate(sql, storeId);
          const current = await lockRules(sql, storeId);
          if (current) assertIfMatch(context, current.version);
          else if (context.ifMatch !== undefined) throw versionMismatch();
          const saved = await saveRules(sql, storeId, rules, timezone);
          await (rules.overlap === 'reject' ? placeExisting(sql, storeId, saved) : deleteAllBookings(sql, storeId));
          await appendOutbox(sql, storeId, [bookingChanged(storeId)]);
          return saved;
        });
      },
      toReply: toRules,
      etag: (row) => etagOf(row.version),
    });
    relay.nudge();
    // Also for a repeated request, whose first process may have died before.
    await remindComing({ database, relay }, context);
    return result;
  };

/** The rules of a body, in which the validation has set the defaults. */
function rulesOf({ hours = null, reminders = [], ...body }: RequestOf<typeof operation>['body']): BookingRules {
  return {
    ...(body as Required<typeof body>),
    hours,
    reminders: reminders.map(({ template = null, ask_confirmation = false, ...reminder }) => ({
      ...{ ...reminder, template, ask_confirmation },
    })),
  };
}
