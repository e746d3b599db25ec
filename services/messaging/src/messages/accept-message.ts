import { getLeadContact, type acceptMessage as operation } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/context';
import type { Handler } from '@mostrador/kit/rpc-server';
import { toInstant } from '@mostrador/kit/validate';
import { requireLead } from '../conversations/require-lead.ts';
import type { Dependencies } from '../dependencies.ts';
import { acceptOutbound, type OutboundRequest } from './accept-outbound.ts';
import { presentError } from './message.ts';

export const acceptMessage =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { id, lead_id, source, message, template, unless_reply_after } = body;
    const unless_reply = await readCondition(dependencies, context, lead_id, unless_reply_after);
    const row = await dependencies.database.write(context, (sql) =>
      acceptOutbound(sql, context.storeId, { id, lead_id, source, body: message, template, unless_reply }),
    );
    dependencies.relay.nudge();
    return { id: row.id, status: row.status, error: presentError(row) };
  };

/** What the lead wrote and nobody has processed may be known by the phone alone, which crm has. */
async function readCondition(
  dependencies: Dependencies,
  context: StoreContext,
  lead_id: string,
  unlessReplyAfter: string | undefined,
): Promise<OutboundRequest['unless_reply']> {
  if (unlessReplyAfter === undefined) {
    await requireLead(dependencies, context, lead_id);
    return undefined;
  }
  const { customer_phone } = await dependencies.rpc.call(getLeadContact, { body: { lead_id } }, context);
  return { after: toInstant(unlessReplyAfter), phone: customer_phone };
}
