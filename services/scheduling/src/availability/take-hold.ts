import { randomUUID } from 'node:crypto';
import { type createHold, defaultDurationMinutes, type holdForDecision, type RequestOf } from '@mostrador/contracts';
import { minuteMs } from '@mostrador/hours/local-days';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { type BookingRow, findHold, insertBookings } from '../booking/booking.repository.ts';
import { deferRefusal, readNamed } from '../booking/named.ts';
import { withAlternatives } from '../booking/refusals.ts';
import { lockRules } from '../booking/rules.repository.ts';
import { requireRules } from '../booking/rules.ts';
import { takePlaces } from '../booking/take-places.ts';
import type { Dependencies } from '../dependencies.ts';
import { boundsOf } from './find-free-times.ts';
import { toHold } from './hold.ts';

type Holding = {
  readonly operation: typeof createHold | typeof holdForDecision;
  readonly body: Omit<RequestOf<typeof createHold>['body'], 'service_id'> & { readonly service_id?: string | null };
  /** How long the hold lasts. */
  readonly minutes: number;
  /** The id of the hold. When there is one with it, that is the answer. */
  readonly id?: string;
};

/** Takes a place for some minutes, in a store whose appointments take places. */
export const takeHold = async (
  { database, rpc }: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreContext,
  { operation, body, minutes, id }: Holding,
) => {
  const { seller_id = null, service_id = null } = body;
  if (body.duration_minutes === undefined && service_id === null) {
    throw validationFailed([{ pointer: '#/duration_minutes', detail: 'is required without `service_id`' }]);
  }
  return await withIdempotency({
    database,
    context,
    operation,
    run: async (commit) => {
      const named = await deferRefusal(readNamed({ database, rpc }, context, { seller_id, service_id }));
      const { choice, service, refusal } = named;
      if (refusal?.status === 404) throw refusal;
      const duration_minutes = body.duration_minutes ?? service?.duration_minutes ?? defaultDurationMinutes;
      const wish = {
        ...{ choice, duration_minutes, service_id: named.service_id, scheduled_at: toInstant(body.start) },
        ...{ hold_id: null, appointment_id: null },
      };
      return await withAlternatives({ database }, context, { named, ...wish }, () =>
        commit(async (sql) => {
          const { storeId } = context;
          const rules = requireRules(await lockRules(sql, storeId));
          const [known] = id === undefined ? [] : await findHold(sql, storeId, id);
          if (known) return known;
          if (rules.overlap === 'allow') throw new AppError('booking_rules_not_found');
          // What is not there comes before the state of what is.
          if (refusal) throw refusal;
          const { from, until } = boundsOf(rules, Date.now());
          const at = wish.scheduled_at.getTime();
          if (at < from || at >= until) throw new AppError('outside_booking_window');
          const [grant] = await takePlaces(sql, storeId, { ...rules, outside_hours: 'reject' }, [wish]);
          if (grant instanceof AppError) throw grant;
          const expires_at = new Date(Date.now() + minutes * minuteMs);
          const hold = { ...grant?.booking, id: id ?? randomUUID(), expires_at, renewed: false } as BookingRow;
          await insertBookings(sql, storeId, [hold]);
          return hold;
        }),
      );
    },
    toReply: toHold,
  });
};
