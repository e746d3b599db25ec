import type { StoreScope } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { CallContext } from '@mostrador/kit/rpc/client';
import type { InboundEffect } from '../channels/channel-provider.ts';
import { refuseChannel } from '../channels/refuse-channel.ts';
import { changeOptOut } from '../conversations/change-opt-out.ts';
import type { Dependencies } from '../dependencies.ts';
import { makeSyncDue } from '../templates/sync.repository.ts';
import { changeConversation } from './change-conversation.ts';
import { changeMessage } from './change-message.ts';
import { saveHistoryState } from './history.repository.ts';
import { importHistory } from './import-history.ts';
import { moveIdentity } from './move-identity.ts';
import type { Contact } from './name-contacts.ts';
import { takeCall } from './take-call.ts';
import { takeHandover } from './take-handover.ts';

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
      return await changeMessage(tools, context, channelId, effect.change);
    case 'identity':
      return await moveIdentity(tools, context, channelId, effect.change);
    case 'opt_out':
      return await applyPreference(tools, context, channelId, effect);
    case 'handover':
      return await takeHandover(tools, context, channelId, effect);
    case 'call':
      return await takeCall(tools, context, channelId, effect);
    case 'history':
      return await importHistory(tools, context, channelId, effect.messages);
    case 'history_state':
      return await tools.database.write(context, (sql) => saveHistoryState(sql, context.storeId, channelId, effect));
    case 'account':
      return await tools.database.write(context, (sql) => makeSyncDue(sql, context.storeId, channelId));
    case 'fault':
      return await tools.database.write(context, (sql) => refuseChannel(sql, context.storeId, channelId, effect));
  }
}

async function applyPreference(
  tools: Tools,
  context: Context,
  channelId: string,
  preference: Extract<InboundEffect, { kind: 'opt_out' }>,
): Promise<void> {
  const { storeId } = context;
  const { at, wish } = preference;
  await changeConversation(tools, context, channelId, preference, async (sql, leadId) => {
    const entries = await changeOptOut(sql, storeId, leadId, { ...wish, at, source: 'channel_preference' });
    await appendOutbox(sql, storeId, entries);
  });
  tools.relay.nudge();
}
