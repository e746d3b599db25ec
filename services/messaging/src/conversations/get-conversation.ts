import type { getConversation as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { findLiveChannel } from '../channels/channel.repository.ts';
import { replyWindowMsOf } from '../channels/providers.ts';
import type { Dependencies } from '../dependencies.ts';
import { findConversation } from './conversation.repository.ts';
import { heldBy } from './held-by.ts';
import { toOptOut } from './opt-out-state.ts';
import { isWindowOpen, lastOpener, windowExpiresAt } from './reply-window.ts';
import { requireLead } from './require-lead.ts';

export const getConversation =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params: { leadId } }) => {
    const { storeId } = context;
    const [conversation, channel] = await dependencies.database.read(context, (sql) =>
      Promise.all([findConversation(sql, storeId, leadId), findLiveChannel(sql, storeId)]),
    );
    if (!conversation) await requireLead(dependencies, context, leadId);
    const { opted_out_at = null, opt_out_wishes = null, last_inbound_at = null, called_at = null } = conversation ?? {};
    const openers = { last_inbound_at, called_at };
    const windowMs = channel ? replyWindowMsOf(channel) : null;
    const expiresAt = windowExpiresAt(windowMs, openers);
    return {
      lead_id: leadId.toLowerCase(),
      opted_out_at: opted_out_at && toTimestamp(opted_out_at),
      opt_out: toOptOut({ opted_out_at, opt_out_wishes }),
      window_expires_at: expiresAt && toTimestamp(expiresAt),
      window_open: channel !== undefined && isWindowOpen(windowMs, openers, new Date()),
      held_by: conversation ? heldBy(conversation) : ('store' as const),
      window_opened_by: expiresAt && (lastOpener(openers)?.by ?? null),
    };
  };
