import type { getAppointment as operation } from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Handler, reply } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findAppointment } from './appointment.repository.ts';
import { toAppointment } from './appointment.ts';

export const getAppointment =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const [row] = await database.lookUp(context, (sql) => findAppointment(sql, context.storeId, params.appointmentId));
    if (!row) throw new AppError('appointment_not_found');
    return reply(toAppointment(row), { etag: etagOf(row.version) });
  };
