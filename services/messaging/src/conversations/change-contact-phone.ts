import type { changeContactPhone as operation, RequestOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { isSamePhone } from '@mostrador/kit/phones/canonical-phone';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { isMovedTo } from '../identities/identity-change.repository.ts';
import { lockConversation, savePhone } from './conversation.repository.ts';

export const changeContactPhone =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    await database.write(context, (sql) => followPhone(sql, context.storeId, body));
    return { done: true };
  };

/**
 * Makes a conversation follow the phone of its lead. The channel's ids of the lead and the times of its last message and
 * call belong to the earlier phone, so they are forgotten, unless the customer already writes from the new one, or the
 * channel has said that the customer has it. A customer who writes without a phone stays known by the id of the channel
 * when the lead gets its first phone: another one after it is another person's, as in crm. Without a conversation there
 * is nothing to forget.
 */
export async function followPhone(
  sql: TransactionSql,
  storeId: string,
  { lead_id, customer_phone: phone, version }: RequestOf<typeof operation>['body'],
): Promise<void> {
  const conversation = await lockConversation(sql, storeId, lead_id);
  if (!conversation || version <= (conversation.phone_version ?? 0)) return;
  const isFirst = conversation.phone === null || isSamePhone(conversation.phone, phone);
  const hidesPhone = isFirst && conversation.wa_id === null && conversation.user_id !== null;
  const isSamePerson =
    hidesPhone || isFrom(conversation.wa_id, phone) || (await isMovedTo(sql, storeId, lead_id, phone));
  await savePhone(sql, conversation, { phone, version, forget: !isSamePerson });
}

/** Whether the channel's id of a customer is a form of the phone. */
export const isFrom = (waId: string | null, phone: string): boolean => waId !== null && isSamePhone(waId, phone);
