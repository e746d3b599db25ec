import { listAppointments as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { listReader } from '../read-list.ts';
import { toAppointment } from './appointment.ts';
import { appointmentList } from './appointment-list.repository.ts';
import { filtersOf } from './appointment-list.ts';

const readList = listReader({
  name: 'appointments',
  column: 'scheduled_at',
  defaultLimit: operation.request.query.properties.limit.default,
  statements: appointmentList,
  show: toAppointment,
});

export const listAppointments =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { query }) =>
    await readList(dependencies, context, query, filtersOf(query));
