import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { requireLead } from '../conversations/require-lead.ts';
import type { Dependencies } from '../dependencies.ts';
import { findMessage } from './message.repository.ts';
import type { MessageRow, MessageWait } from './message.ts';

/** The message of a lead. Throws `message_not_found`, or `lead_not_found` as `requireLead` does. */
export async function requireMessage(
  dependencies: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreContext,
  { leadId, messageId }: { readonly leadId: string; readonly messageId: string },
): Promise<MessageRow & MessageWait> {
  const row = await dependencies.database.read(context, (sql) => findMessage(sql, context.storeId, messageId));
  if (row?.lead_id === leadId.toLowerCase()) return row;
  // A merge may have moved the message. Then the error names the lead that has it now.
  await requireLead(dependencies, context, leadId);
  throw new AppError('message_not_found');
}
