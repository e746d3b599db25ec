import { randomUUID } from 'node:crypto';
import type { receiveSandboxMessage as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { providerIdOf } from '../channels/sandbox/payload.ts';
import { sendInteractionCounts } from '../conversations/send-interaction-counts.ts';
import type { Dependencies } from '../dependencies.ts';
import { acceptInbound } from '../inbound/accept-inbound.ts';
import { requireSandbox } from './require-sandbox.ts';

/** Accepts the message before it answers. On an error, the person at the sandbox page can try again. */
export const receiveSandboxMessage =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { id: channelId, store_id: storeId } = await requireSandbox(dependencies, context, body.token);
    const actor = { kind: 'channel', id: channelId } as const;
    const accepted = await acceptInbound(dependencies, { ...context, storeId, actor }, channelId, {
      providerMessageId: providerIdOf(randomUUID()),
      waId: body.customer_phone,
      userId: null,
      name: body.name,
      kind: 'text',
      body: body.text,
      writtenAt: new Date(),
    });
    // The answer does not wait for crm. The periodic job sends a count that fails here.
    if (accepted) void sendInteractionCounts(dependencies, storeId, [accepted]).catch(() => {});
    return { done: true as const };
  };
