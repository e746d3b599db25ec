import type { Lead, reportLead as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { findLead, findLeadIdByPhone } from '../leads/lead.repository.ts';
import { toLead } from '../leads/lead.ts';
import { leadNotFound } from '../leads/lead-not-found.ts';
import { listStatusSpans } from './lead-report.repository.ts';

export const reportLead =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId } = context;
    const instant = (timestamp: string | null) => (timestamp === null ? null : toInstant(timestamp));
    const span = { from: instant(body.from), to: instant(body.to) };
    const { lead, spans } = await database.read(context, async (sql) => {
      const id = body.lead_id ?? (body.customer_phone && (await findLeadIdByPhone(sql, storeId, body.customer_phone)));
      const [lead] = id ? await findLead(sql, storeId, id) : [];
      if (!lead) throw id ? await leadNotFound(sql, storeId, id) : new AppError('lead_not_found');
      return { lead, spans: await listStatusSpans(sql, storeId, lead.id, span) };
    });
    const of = new Map(spans.map((one) => [one.status, one]));
    const seconds = (status: Lead['status']) => of.get(status)?.seconds ?? 0;
    return {
      lead: toLead(lead, new Date()),
      counts: {
        created: spans.some(({ created }) => created) ? 1 : 0,
        converted: of.get('converted')?.changes ? 1 : 0,
        lost: of.get('lost')?.changes ? 1 : 0,
      },
      seconds_in_status: {
        pending: seconds('pending'),
        in_progress: seconds('in_progress'),
        converted: seconds('converted'),
        lost: seconds('lost'),
      },
    };
  };
