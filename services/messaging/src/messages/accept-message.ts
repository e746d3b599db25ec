import type { acceptMessage as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc-server';
import { toInstant } from '@mostrador/kit/validate';
import { requireLead } from '../conversations/require-lead.ts';
import type { Dependencies } from '../dependencies.ts';
import { acceptOutbound } from './accept-outbound.ts';
import { presentError } from './message.ts';

export const acceptMessage =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { id, lead_id, source, message, template, unless_reply_after } = body;
    await requireLead(dependencies, context, lead_id);
    const row = await dependencies.database.write(context, (sql) =>
      acceptOutbound(sql, context.storeId, {
        id,
        lead_id,
        source,
        body: message,
        template,
        unless_reply_after: unless_reply_after === undefined ? undefined : toInstant(unless_reply_after),
      }),
    );
    dependencies.relay.nudge();
    return { id: row.id, status: row.status, error: presentError(row) };
  };
