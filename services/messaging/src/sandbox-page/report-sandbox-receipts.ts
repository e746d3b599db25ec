import type { reportSandboxReceipts as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { idsOf } from '../channels/sandbox/customer.ts';
import { magicOutcome } from '../channels/sandbox/magic-numbers.ts';
import { toPayload } from '../channels/sandbox/payload.ts';
import { listUnreported, planStatusUpdates } from '../channels/sandbox/sandbox.repository.ts';
import { categoryOf } from '../channels/sandbox/templates.ts';
import type { Dependencies } from '../dependencies.ts';
import { requireSandbox } from './require-sandbox.ts';

const mostReported = 200;

/**
 * Stores what the telephone reports as a webhook of the sandbox, which the processor handles like any other. A magic
 * number reports for itself, so its telephone reports nothing.
 */
export const reportSandboxReceipts =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { store_id: storeId, id: channelId } = await requireSandbox(dependencies, context, body.token);
    const { customer_phone: phone, status } = body;
    if (magicOutcome(phone)) return { done: true as const };
    const { database, inbound } = dependencies;
    const at = new Date().toISOString();
    await inbound.ingest(() =>
      database.write({ storeId, deadline: context.deadline }, async (sql) => {
        const unreported = await listUnreported(sql, storeId, { channelId, phone, limit: mostReported }, status);
        if (unreported.length === 0) return;
        const recipient = idsOf(phone).waId;
        const payload = toPayload(
          unreported.map(({ id, template }) => ({
            ...{ id, status, at, category: categoryOf(template) },
            ...(recipient !== null && { recipient }),
          })),
        );
        await planStatusUpdates(sql, storeId, channelId, [{ payload, afterMs: 0 }]);
      }),
    );
    return { done: true as const };
  };
