import type { listLostEvents as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { callTimeMs } from '@mostrador/kit/step/step';
import { appointmentOf } from '../calendars/calendar-event.ts';
import { toCalendarError } from '../calendars/calendar-provider.ts';
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
    if (!connection) return { appointments: [], error: null };
    const { provider, settings } = connection;
    let uids: string[];
    try {
      const credentials = openCredentials(vault, storeId, connection);
      const calendar = openProvider({ storeId, provider, settings, credentials });
      uids = await calendar.list(storeId, toInstant(body.since), AbortSignal.timeout(callTimeMs(context.deadline)));
    } catch (cause) {
      const { code, detail } = toCalendarError(cause);
      return { appointments: [], error: `${code}: ${detail}` };
    }
    const ids = uids.map(appointmentOf);
    const existing = new Set(await database.read(context, (sql) => findExisting(sql, storeId, ids)));
    return { appointments: ids.filter((id) => !existing.has(id)), error: null };
  };
