import type { mergeLeadScheduling as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { lockCalendarConnection } from '../calendars/connection.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { lockUnsettledFollowups, moveAppointments, moveFollowups } from './merge.repository.ts';

export const mergeLeadScheduling =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const leads = { goneId: body.lead_id, keptId: body.merged_into };
    return await database.write(context, async (sql) => {
      await lockCalendarConnection(sql, storeId);
      if (await lockUnsettledFollowups(sql, storeId, leads.goneId)) {
        throw new AppError('lead_busy', { retryAfterSeconds: 1 });
      }
      return {
        appointments: await moveAppointments(sql, storeId, leads),
        followups: await moveFollowups(sql, storeId, leads),
      };
    });
  };
