import type { summarizeScheduling as operation } from '@mostrador/contracts';
import { toColumns } from '@mostrador/kit/rpc/columns';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import {
  schedulingRollups,
  toAppointmentCounts,
  toAppointmentsByStatus,
  toFollowupCounts,
} from './scheduling-counts.ts';

export const summarizeScheduling =
  ({ database, listTotals }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const boundaries = body.boundaries.map((ms) => new Date(ms));
    const { total, buckets, alongside } = await database.read(context, (sql) =>
      schedulingRollups.read(sql, storeId, {
        boundaries,
        alongside: listTotals.statusCounts(sql, storeId, 'appointments'),
      }),
    );
    return {
      appointments: { total: toAppointmentCounts(total), buckets: toColumns(buckets.map(toAppointmentCounts)) },
      appointments_by_status: toAppointmentsByStatus(listTotals.toStatusCounts(storeId, 'appointments', alongside)),
      followups: { total: toFollowupCounts(total), buckets: toColumns(buckets.map(toFollowupCounts)) },
    };
  };
