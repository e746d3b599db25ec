import type { releaseLeadPhone as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { lockLead } from './lead.repository.ts';
import { isPhoneOf, moveLead } from './lead.ts';
import { leadNotFound } from './lead-not-found.ts';
import { findMerge } from './merged-lead.repository.ts';
import { saveChange } from './save-change.ts';

export const releaseLeadPhone =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { lead_id, customer_phone, channel_user_id } }) => {
    const { storeId } = context;
    const version = await database.write(context, async (sql) => {
      const merge = await findMerge(sql, storeId, lead_id);
      const lead = await lockLead(sql, storeId, merge?.merged_into ?? lead_id);
      if (!lead) throw await leadNotFound(sql, storeId, lead_id);
      if (!isPhoneOf(lead, customer_phone)) return lead.version;
      const released = moveLead(lead, { customer_phone: null, channel_user_id });
      return released ? (await saveChange(sql, lead, released)).version : lead.version;
    });
    relay.nudge();
    return { version };
  };
