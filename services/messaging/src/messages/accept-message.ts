import { getLeadContact, type acceptMessage as operation, type RequestOf } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { type Handler, later } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { needsConsent } from '../conversations/opt-out.ts';
import { requireLead } from '../conversations/require-lead.ts';
import type { Dependencies } from '../dependencies.ts';
import { acceptOutbound } from './accept-outbound.ts';
import { awaitOutcome } from './await-outcome.ts';
import { isSettled, type MessageRow, toMessageError } from './message.ts';

export const acceptMessage =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { id, lead_id, source, message, template, unless_reply_after, wait_ms = 0 } = body;
    const phone = await phoneIfNeeded(dependencies, context, body);
    const row = await dependencies.database.write(context, (sql) =>
      acceptOutbound(sql, context.storeId, {
        ...{ id, lead_id, source, body: message, template, phone },
        unless_reply_after: unless_reply_after === undefined ? undefined : toInstant(unless_reply_after),
      }),
    );
    dependencies.relay.nudge();
    if (wait_ms === 0 || isSettled(row.status)) return present(row);
    const until = Date.now() + wait_ms;
    return later(async (closing) => {
      const outcome = await awaitOutcome(dependencies, context, { id: row.id, untilMs: async () => until, closing });
      return present(outcome ?? row);
    });
  };

const present = (row: MessageRow) => ({ id: row.id, status: row.status, error: toMessageError(row) });

/** The lead's phone from crm, if the lead's unprocessed messages matter: they may be known by the phone alone. */
async function phoneIfNeeded(
  dependencies: Dependencies,
  context: StoreContext,
  { lead_id, source, unless_reply_after }: RequestOf<typeof operation>['body'],
): Promise<string | undefined> {
  if (unless_reply_after === undefined && !needsConsent(source)) {
    await requireLead(dependencies, context, lead_id);
    return undefined;
  }
  const contact = await dependencies.rpc.call(getLeadContact, { body: { lead_id } }, context);
  return contact.customer_phone;
}
