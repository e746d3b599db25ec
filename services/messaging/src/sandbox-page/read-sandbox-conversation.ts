import { messageTypeOf, type readSandboxConversation as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { findChannelById } from '../channels/channel.repository.ts';
import { replyWindowMsOf } from '../channels/providers.ts';
import { findWindowOpeners, listTelephoneMessages } from '../channels/sandbox/sandbox.repository.ts';
import { windowExpiresAt } from '../conversations/reply-window.ts';
import type { Dependencies } from '../dependencies.ts';
import { createBudget } from '../messages/listed-messages.ts';
import { requireSandbox } from './require-sandbox.ts';

const mostShown = 200;

export const readSandboxConversation =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const sandbox = await requireSandbox(dependencies, context, body.token);
    const { store_id: storeId, id: channelId, phone } = sandbox;
    const telephone = { channelId, phone: body.customer_phone, limit: mostShown };
    const [messages, channel, openers] = await dependencies.database.read(
      { storeId, deadline: context.deadline },
      (sql) =>
        Promise.all([
          listTelephoneMessages(sql, storeId, telephone),
          findChannelById(sql, storeId, channelId),
          findWindowOpeners(sql, storeId, body.customer_phone),
        ]),
    );
    const replyWindowMs = channel ? replyWindowMsOf(channel) : null;
    const expiresAt = windowExpiresAt(replyWindowMs, openers);
    const fit = createBudget();
    const shown = (text: string) => {
      const fitting = fit.text(text);
      return fitting === text ? text : `${fitting}…`;
    };
    return {
      store_phone: phone ?? '',
      messages: messages.map(({ id, direction, at, status, text, kind, ...message }) => ({
        ...{ id, direction, text: shown(text), at: toTimestamp(at) },
        ...(status !== null &&
          kind !== null && {
            status,
            type: messageTypeOf(kind),
            media: message.media,
            content: fit.content(message.content),
            reply_to_id: message.reply_to_id,
            reactions: [...(message.reactions ?? [])],
            edited_at: message.edited_at && toTimestamp(message.edited_at),
            revoked_at: message.revoked_at && toTimestamp(message.revoked_at),
          }),
      })),
      ...(replyWindowMs !== null && { window_expires_at: expiresAt && toTimestamp(expiresAt) }),
    };
  };
