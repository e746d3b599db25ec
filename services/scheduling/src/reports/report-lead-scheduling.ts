import type { reportLeadScheduling as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { countOfLead } from './report.repository.ts';
import {
  toAppointmentCounts,
  toAppointmentsByStatus,
  toFollowupCounts,
  toFollowupsByStatus,
} from './scheduling-counts.ts';

export const reportLeadScheduling =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { lead_id, from, to } }) => {
    const span = { from: from === null ? null : toInstant(from), to: to === null ? null : toInstant(to) };
    const { facts, appointments, followups } = await database.read(context, (sql) =>
      countOfLead(sql, context.storeId, lead_id, span),
    );
    return {
      appointments: { created: toAppointmentCounts(facts).created, by_status: toAppointmentsByStatus(appointments) },
      followups: { ...toFollowupCounts(facts), by_status: toFollowupsByStatus(followups) },
    };
  };
