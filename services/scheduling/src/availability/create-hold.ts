import { randomUUID } from 'node:crypto';
import { holdMinutes, createHold as operation } from '@mostrador/contracts';
import { minuteMs } from '@mostrador/hours/local-days';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { type BookingRow, insertBookings } from '../booking/booking.repository.ts';
import { readNamed } from '../booking/named.ts';
import { withAlternatives } from '../booking/refusals.ts';
import { lockRules } from '../booking/rules.repository.ts';
import { requireRules } from '../booking/rules.ts';
import { takePlaces } from '../booking/take-places.ts';
import type { Dependencies } from '../dependencies.ts';
import { boundsOf } from './find-free-times.ts';
import { toHold } from './hold.ts';

export const createHold =
  ({ database, rpc }: Dependencies): Handler<typeof operation> =>
  (context, { body }) =>
    withIdempotency({
      database,
      context,
      operation,
      run: async (commit) => {
        const { seller_id = null, service_id = null } = body;
        const named = await readNamed({ database, rpc }, context, { seller_id, service_id });
        const duration_minutes = body.duration_minutes ?? named.service?.duration_minutes;
        if (duration_minutes === undefined) {
          throw validationFailed([{ pointer: '#/duration_minutes', detail: 'is required without `service_id`' }]);
        }
        const { choice, service } = named;
        const wish = {
          ...{ choice, duration_minutes, service_id: named.service_id, scheduled_at: toInstant(body.start) },
          buffer_before_minutes: service?.buffer_before_minutes ?? null,
          buffer_after_minutes: service?.buffer_after_minutes ?? null,
          ...{ hold_id: null, appointment_id: null },
        };
        return await withAlternatives({ database }, context, { named, ...wish }, () =>
          commit(async (sql) => {
            const { storeId } = context;
            const rules = requireRules(await lockRules(sql, storeId));
            if (rules.overlap === 'allow') throw new AppError('booking_rules_not_found');
            const { from, until } = boundsOf(rules, Date.now());
            const at = wish.scheduled_at.getTime();
            if (at < from || at >= until) throw new AppError('outside_booking_window');
            const [grant] = await takePlaces(sql, storeId, { ...rules, outside_hours: 'reject' }, [wish]);
            if (grant instanceof AppError) throw grant;
            const expires_at = new Date(Date.now() + holdMinutes * minuteMs);
            const hold = { ...grant?.booking, id: randomUUID(), expires_at, renewed: false } as BookingRow;
            await insertBookings(sql, storeId, [hold]);
            return hold;
          }),
        );
      },
      toReply: toHold,
    });
