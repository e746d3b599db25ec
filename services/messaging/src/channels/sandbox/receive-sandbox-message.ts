import { randomUUID } from 'node:crypto';
import type { receiveSandboxMessage as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { sendInteractionCounts } from '../../conversations/send-interaction-counts.ts';
import type { Dependencies } from '../../dependencies.ts';
import { acceptInbound } from '../../inbound/accept-inbound.ts';
import { findSandbox } from './sandbox.repository.ts';
import { hashSandboxToken } from './token.ts';

/** Accepts the message before it answers. On an error, the person at the sandbox page can try again. */
export const receiveSandboxMessage =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const sandbox = await dependencies.systemDatabase.read(context, (sql) =>
      findSandbox(sql, hashSandboxToken(body.token)),
    );
    if (!sandbox) throw new AppError('sandbox_not_found');
    const storeId = sandbox.store_id;
    const accepted = await acceptInbound(dependencies, { ...context, storeId }, sandbox.id, {
      providerMessageId: `sandbox.${randomUUID()}`,
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
