import { mostFreeTimes, type getAvailability as operation } from '@mostrador/contracts';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import { type Handler, replyBytes } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { requireAppointment } from '../appointments/require-appointment.ts';
import { deferRefusal, isNewTo, readNamed } from '../booking/named.ts';
import { findRules } from '../booking/rules.repository.ts';
import { requireRules } from '../booking/rules.ts';
import { useCalendar } from '../calendar-watch/use-calendar.ts';
import type { Dependencies } from '../dependencies.ts';
import { findFreeTimes } from './find-free-times.ts';
import { rangeOf } from './range.ts';
import { writeFreeTimes } from './write-free-times.ts';

const withoutDuration = () =>
  validationFailed([{ in: 'query', name: 'duration_minutes', detail: 'is required without `service_id`' }]);

export const getAvailability =
  ({ database, rpc, relay, fairPauseMs }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const range = rangeOf(query);
    const { seller_id = null, service_id = null, appointment_id = null } = query;
    if (query.duration_minutes === undefined && service_id === null) throw withoutDuration();
    const moving = await requireAppointment(database, context, appointment_id);
    // What the appointment has already may have become inactive since.
    const isNew = isNewTo({ seller_id, service_id }, moving ?? null);
    const named = await deferRefusal(readNamed({ database, rpc }, context, { seller_id, service_id }, isNew));
    if (named.refusal) {
      // What is not there comes before the state of what is.
      if (named.refusal.status !== 404) {
        const [rules] = await database.read(context, (sql) => findRules(sql, context.storeId));
        requireRules(rules);
      }
      throw named.refusal;
    }
    const duration_minutes = query.duration_minutes ?? named.service?.duration_minutes;
    // The appointment has a service that was deleted since.
    if (duration_minutes === undefined) throw withoutDuration();
    const search = { named, duration_minutes, appointment_id };
    const { rules, hasPlace, isCalendarQuiet, times, nextFrom, reason } = await findFreeTimes(
      { database },
      context,
      search,
      range,
      mostFreeTimes,
    );
    // As booking it would say.
    if (!hasPlace) throw new AppError('seller_not_bookable');
    if (isCalendarQuiet) await useCalendar({ database, relay, fairPauseMs }, context);
    const next_from = nextFrom === null ? null : toTimestamp(new Date(nextFrom));
    return replyBytes(writeFreeTimes({ times, duration_minutes, timezone: rules.timezone, reason, next_from }));
  };
