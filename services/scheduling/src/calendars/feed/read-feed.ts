import type { readCalendarFeed as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { listFeedAppointments } from '../../appointments/appointment.repository.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toCalendarEvent } from '../calendar-event.ts';
import { findFeedStore } from '../connection.repository.ts';
import { renderFeed } from '../icalendar.ts';
import { hashFeedToken } from './token.ts';

const shownPastMs = 90 * 24 * 60 * 60 * 1000;
// At most about 7 MB even with four bytes per character, below the limit of a NATS message.
const most = { past: 500, coming: 1_500, notesLength: 500 };
const name = 'Appointments';

export const readFeed =
  ({ database, systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const storeId = await systemDatabase.read(context, (sql) => findFeedStore(sql, hashFeedToken(body.token)));
    if (!storeId) throw new AppError('calendar_feed_not_found');

    const now = new Date();
    const since = new Date(now.getTime() - shownPastMs);
    const rows = await database.read({ storeId, deadline: context.deadline }, (sql) =>
      listFeedAppointments(sql, storeId, { now, since, ...most }),
    );
    return {
      icalendar: renderFeed(
        rows.map((row) => toCalendarEvent(row)),
        { name },
      ),
    };
  };
