import { randomUUID } from 'node:crypto';
import { findLeadByPhone, type receiveSandboxMessage as operation } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { providerIdOf } from '../channels/sandbox/payload.ts';
import { hasWritten } from '../channels/sandbox/sandbox.repository.ts';
import { sendInteractionCounts } from '../conversations/send-interaction-counts.ts';
import type { Dependencies } from '../dependencies.ts';
import { acceptInbound } from '../inbound/accept-inbound.ts';
import { requireSandbox } from './require-sandbox.ts';

/**
 * A telephone that writes only as its own customers creates their leads. A lead that came another way may be a real
 * customer. Throws `sandbox_phone_taken`.
 */
async function assertOwnCustomer(
  { database, rpc, telephone: { writesAs } }: Dependencies,
  context: StoreContext,
  { channelId, phone }: { channelId: string; phone: string },
): Promise<void> {
  if (writesAs === 'any') return;
  if (await database.read(context, (sql) => hasWritten(sql, context.storeId, { channelId, phone }))) return;
  const { id } = await rpc.call(findLeadByPhone, { body: { customer_phone: phone } }, context);
  if (id !== null) throw new AppError('sandbox_phone_taken');
}

/** Accepts the message before it answers. On an error, the person at the sandbox page can try again. */
export const receiveSandboxMessage =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { id: channelId, store_id: storeId } = await requireSandbox(dependencies, context, body.token);
    const actor = { kind: 'channel', id: channelId } as const;
    await assertOwnCustomer(dependencies, { ...context, storeId }, { channelId, phone: body.customer_phone });
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
