import type { StoreScope } from '@mostrador/kit/database/database';
import type { CallContext } from '@mostrador/kit/rpc/client';
import type { InboundEffect } from '../channels/channel-provider.ts';
import { refuseChannel } from '../channels/refuse-channel.ts';
import type { Dependencies } from '../dependencies.ts';
import { makeSyncDue } from '../templates/sync.repository.ts';
import { changeConversation } from './change-conversation.ts';
import { changeMessage, changePast } from './change-message.ts';
import { saveHistoryState } from './history.repository.ts';
import { importHistory } from './import-history.ts';
import { knowCustomer } from './know-customer.ts';
import { moveIdentity } from './move-identity.ts';
import type { Contact } from './name-contacts.ts';

type Tools = Pick<Dependencies, 'database' | 'rpc' | 'relay'>;
type Context = StoreScope & CallContext;

/** Applies what is no message and no contact. Repeats and any order are safe. Errors are those of `acceptInbound`. */
export async function applyEffect(
  tools: Tools,
  context: Context,
  channelId: string,
  effect: Exclude<InboundEffect, Contact>,
): Promise<void> {
  switch (effect.kind) {
    case 'message':
      if (effect.change.customer)
        await knowCustomer(tools, context, channelId, effect.change.customer, effect.change.at);
      return await changeMessage(tools, context, channelId, effect.change);
    case 'identity':
      return await moveIdentity(tools, context, channelId, effect.change);
    case 'opt_out':
    case 'handover':
    case 'call':
      return await changeConversation(tools, context, channelId, effect);
    case 'history':
      return await importHistory(tools, context, channelId, effect.messages);
    case 'history_changes':
      return await changePast(tools, context, channelId, effect.changes);
    case 'history_state':
      return await tools.database.write(context, (sql) => saveHistoryState(sql, context.storeId, channelId, effect));
    case 'account':
      return await tools.database.write(context, (sql) => makeSyncDue(sql, context.storeId, channelId));
    case 'fault':
      return await tools.database.write(context, (sql) => refuseChannel(sql, context.storeId, channelId, effect));
  }
}
