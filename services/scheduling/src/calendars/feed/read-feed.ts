import type { readCalendarFeed as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { hashToken } from '@mostrador/kit/tokens/token';
import { listFeedAppointments } from '../../appointments/appointment.repository.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toCalendarEvent } from '../calendar-event.ts';
import { findFeedStore } from '../connection.repository.ts';
import { findCustomers } from '../customer.ts';
import { renderFeed } from '../icalendar.ts';
import { readInvitationToken } from '../invitation-link.ts';
import { readInvitation } from './read-invitation.ts';

const shownPastMs = 90 * 24 * 60 * 60 * 1000;
// At most about 8 MB even with four bytes per character and a customer each, below the limit of a NATS message.
const most = { past: 500, coming: 1_500, notesLength: 500 };
const name = 'Appointments';

export const readFeed =
  ({ database, systemDatabase, rpc, vault }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const invited = readInvitationToken(vault, body.token);
    if (invited) return await readInvitation({ database }, invited, context.deadline);
    const storeId = await systemDatabase.read(context, (sql) => findFeedStore(sql, hashToken(body.token)));
    if (!storeId) throw new AppError('calendar_feed_not_found');

    const now = new Date();
    const since = new Date(now.getTime() - shownPastMs);
    const rows = await database.read({ storeId, deadline: context.deadline }, (sql) =>
      listFeedAppointments(sql, storeId, { now, since, ...most }),
    );
    const leadIds = rows.map(({ lead_id }) => lead_id);
    const customers = await findCustomers({ database, rpc }, { ...context, storeId }, leadIds);
    return {
      icalendar: renderFeed(
        rows.map((row) => toCalendarEvent(row, undefined, customers.get(row.lead_id ?? ''))),
        { name },
      ),
    };
  };
