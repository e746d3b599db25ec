import type { getAppointmentInvitation as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toCalendarEvent } from '../calendars/calendar-event.ts';
import { renderInvitation } from '../calendars/icalendar.ts';
import type { Dependencies } from '../dependencies.ts';
import { findAppointment } from './appointment.repository.ts';

export const getAppointmentInvitation =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const [row] = await database.lookUp(context, (sql) => findAppointment(sql, context.storeId, params.appointmentId));
    if (!row) throw new AppError('appointment_not_found');
    return {
      file_name: 'appointment.ics',
      mime_type: 'text/calendar; charset=utf-8; method=PUBLISH',
      content: renderInvitation(toCalendarEvent(row), row.status === 'cancelled'),
    };
  };
