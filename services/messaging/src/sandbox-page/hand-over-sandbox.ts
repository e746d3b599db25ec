import type { handOverSandbox as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { idsOf } from '../channels/sandbox/customer.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeConversation } from '../inbound/change-conversation.ts';
import { assertOwnCustomer } from './own-customer.ts';
import { requireSandbox } from './require-sandbox.ts';

/** Says who has the conversation of the customer from now on, as a channel with other agents does. */
export const handOverSandbox =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body: { token, customer_phone: phone, owner } }) => {
    const { id: channelId, store_id: storeId } = await requireSandbox(dependencies, context, token);
    const scope = { ...context, storeId, actor: { kind: 'channel', id: channelId } as const };
    await assertOwnCustomer(dependencies, scope, { channelId, phone });
    const { waId, userId } = idsOf(phone);
    const handover = { kind: 'handover', owner, at: new Date(), customer: { waId, userId } } as const;
    await changeConversation(dependencies, scope, channelId, handover);
    return { done: true as const };
  };
