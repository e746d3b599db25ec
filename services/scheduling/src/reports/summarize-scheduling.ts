import type { summarizeScheduling as operation } from '@mostrador/contracts';
import { toColumns } from '@mostrador/kit/rpc/columns';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { listServiceNames } from '../services/service.repository.ts';
import {
  schedulingRollups,
  toAppointmentCounts,
  toAppointmentsByStatus,
  toChangesOfEach,
  toFollowupCounts,
} from './scheduling-counts.ts';

export const summarizeScheduling =
  ({ database, listTotals }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const boundaries = body.boundaries.map((ms) => new Date(ms));
    const { counted, sellers, services, names } = await database.read(context, async (sql) => {
      const counted = await schedulingRollups.read(sql, storeId, {
        ...{ boundaries, subjects: true },
        alongside: listTotals.statusCounts(sql, storeId, 'appointments'),
      });
      const { sellers, services } = toChangesOfEach(counted.subjects);
      const ids = services.map(({ service_id }) => service_id);
      return { counted, sellers, services, names: await listServiceNames(sql, storeId, ids) };
    });
    const { total, buckets, alongside } = counted;
    return {
      appointments: { total: toAppointmentCounts(total), buckets: toColumns(buckets.map(toAppointmentCounts)) },
      appointments_by_status: toAppointmentsByStatus(listTotals.toStatusCounts(storeId, 'appointments', alongside)),
      appointments_by_seller: sellers,
      appointments_by_service: services.map((each) => ({ ...each, name: names.get(each.service_id) ?? null })),
      followups: { total: toFollowupCounts(total), buckets: toColumns(buckets.map(toFollowupCounts)) },
    };
  };
