import type { listLostEvents as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { callTimeMs } from '@mostrador/kit/step/step';
import { appointmentOf } from '../calendars/calendar-event.ts';
import { type ListedEvent, toCalendarError } from '../calendars/calendar-provider.ts';
import { findConnection } from '../calendars/connection.repository.ts';
import { openCredentials } from '../calendars/credentials.ts';
import type { Dependencies } from '../dependencies.ts';
import { findExisting } from './restore.repository.ts';

/** The calendar is listed before the rows are read, so an appointment that is being created is not taken as lost. */
export const listLostEvents =
  ({ database, vault, openProvider }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const connection = await database.read(context, (sql) => findConnection(sql, storeId));
    if (!connection) return { appointments: [], events: [], error: null };
    const { provider, settings } = connection;
    let listed: ListedEvent[];
    try {
      const credentials = openCredentials(vault, storeId, connection);
      const calendar = openProvider({ storeId, provider, settings, credentials });
      const signal = AbortSignal.timeout(callTimeMs(context.deadline));
      listed = await calendar.list(storeId, toInstant(body.since), signal);
    } catch (cause) {
      const { code, detail } = toCalendarError(cause);
      return { appointments: [], events: [], error: `${code}: ${detail}` };
    }
    const events = listed.map(({ uid, title, startsAt }) => ({
      appointment_id: appointmentOf(uid),
      title,
      scheduled_at: startsAt?.toISOString() ?? null,
    }));
    const ids = events.map(({ appointment_id }) => appointment_id);
    const existing = new Set(await database.read(context, (sql) => findExisting(sql, storeId, ids)));
    const lost = events.filter(({ appointment_id }) => !existing.has(appointment_id));
    return { appointments: lost.map(({ appointment_id }) => appointment_id), events: lost, error: null };
  };
