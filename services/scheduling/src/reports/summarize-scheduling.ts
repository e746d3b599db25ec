import type { summarizeScheduling as operation, summarizeSchedulingV1 as operationV1 } from '@mostrador/contracts';
import { toColumns } from '@mostrador/kit/rpc/columns';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import {
  schedulingRollups,
  toAppointmentCounts,
  toAppointmentsByStatus,
  toFollowupCounts,
} from './scheduling-counts.ts';

export const summarizeScheduling =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const boundaries = body.boundaries.map((ms) => new Date(ms));
    const { appointments, followups, ...counted } = await countScheduling(dependencies, context, boundaries);
    return {
      ...counted,
      appointments: { ...appointments, buckets: toColumns(appointments.buckets) },
      followups: { ...followups, buckets: toColumns(followups.buckets) },
    };
  };

export const summarizeSchedulingV1 =
  (dependencies: Dependencies): Handler<typeof operationV1> =>
  async (context, { body }) =>
    await countScheduling(dependencies, context, body.boundaries.map(toInstant));

async function countScheduling(
  { database, listTotals }: Dependencies,
  context: StoreContext,
  boundaries: readonly Date[],
) {
  const { storeId } = context;
  const { total, buckets, alongside } = await database.read(context, (sql) =>
    schedulingRollups.read(sql, storeId, {
      boundaries,
      alongside: listTotals.statusCounts(sql, storeId, 'appointments'),
    }),
  );
  return {
    appointments: { total: toAppointmentCounts(total), buckets: buckets.map(toAppointmentCounts) },
    appointments_by_status: toAppointmentsByStatus(listTotals.toStatusCounts(storeId, 'appointments', alongside)),
    followups: { total: toFollowupCounts(total), buckets: buckets.map(toFollowupCounts) },
  };
}
