import type { nameLead as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { findLeadIdByPhone, lockLead, saveChannelName } from './lead.repository.ts';
import { renameLead } from './lead.ts';
import { saveChange } from './save-change.ts';

export const nameLead =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const { customer_phone, name } = body;
    await database.write(context, async (sql) => {
      const id = await findLeadIdByPhone(sql, storeId, customer_phone);
      const current = id && (await lockLead(sql, storeId, id));
      if (!current) return;
      const renamed = renameLead(current, name, toInstant(body.at));
      if (!renamed) return;
      await saveChannelName(sql, current, name, toInstant(body.at));
      if (name !== current.name) await saveChange(sql, current, renamed);
    });
    relay.nudge();
    return { done: true as const };
  };
