import type { getAppointmentInvitation as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toCalendarEvent } from '../calendars/calendar-event.ts';
import { findFencedAt } from '../calendars/connection.repository.ts';
import { renderInvitation } from '../calendars/icalendar.ts';
import type { Dependencies } from '../dependencies.ts';
import { findAppointment } from './appointment.repository.ts';

export const getAppointmentInvitation =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const [[row], fenced_at] = await database.read(context, (sql) =>
      Promise.all([findAppointment(sql, context.storeId, params.appointmentId), findFencedAt(sql)]),
    );
    if (!row) throw new AppError('appointment_not_found');
    const method = row.status === 'cancelled' ? 'CANCEL' : 'PUBLISH';
    return {
      file_name: 'appointment.ics',
      mime_type: `text/calendar; charset=utf-8; method=${method}`,
      content: renderInvitation(toCalendarEvent(row, { fenced_at }), method),
    };
  };
