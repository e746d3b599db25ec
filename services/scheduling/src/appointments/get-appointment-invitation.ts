import type { getAppointmentInvitation as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { findFencedAt } from '../calendars/connection.repository.ts';
import { invitationOf } from '../calendars/invitation.ts';
import { invitationUrl } from '../calendars/invitation-link.ts';
import type { Dependencies } from '../dependencies.ts';
import { findAppointment } from './appointment.repository.ts';

export const getAppointmentInvitation =
  ({ database, vault, publicUrl }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { storeId } = context;
    const [[row], fencedAt] = await database.read(context, (sql) =>
      Promise.all([findAppointment(sql, storeId, params.appointmentId), findFencedAt(sql)]),
    );
    if (!row) throw new AppError('appointment_not_found');
    return { ...invitationOf(row, fencedAt), url: invitationUrl(vault, publicUrl, { storeId, appointmentId: row.id }) };
  };
