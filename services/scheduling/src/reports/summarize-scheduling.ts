import type { summarizeScheduling as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc-server';
import { toInstant } from '@mostrador/kit/validate';
import type { Dependencies } from '../dependencies.ts';
import { appointmentsByStatus } from './report.repository.ts';
import { schedulingRollups } from './rollups.ts';
import {
  type AppointmentsByStatus,
  presentAppointments,
  presentByStatus,
  presentFollowups,
} from './scheduling-counts.ts';

export const summarizeScheduling =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const boundaries = body.boundaries.map(toInstant);
    const { total, buckets, alongside } = await database.read(context, (sql) =>
      schedulingRollups.read(sql, storeId, { boundaries, alongside: appointmentsByStatus(sql, storeId) }),
    );
    return {
      appointments: { total: presentAppointments(total), buckets: buckets.map(presentAppointments) },
      appointments_by_status: presentByStatus(alongside as Partial<AppointmentsByStatus>),
      followups: { total: presentFollowups(total), buckets: buckets.map(presentFollowups) },
    };
  };
