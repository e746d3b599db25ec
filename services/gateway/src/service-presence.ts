import { randomUUID } from 'node:crypto';
import {
  checkLead,
  getAiUsage,
  getCalendarConnection,
  getChannelConnection,
  getEvent,
  recordKeyUses,
} from '@mostrador/contracts';
import { NoAnswer } from '@mostrador/kit/process/health';
import type { CallContext, RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';

/** An id that no store has. */
export const noStore = '00000000-0000-0000-0000-000000000000';

/**
 * Checks for `/readyz` whether the other services answer. Each gets a request that costs one read, and for which it asks no
 * other service: else that one's outage would look like its own. The result is only informative: the gateway is ready without
 * them, because most of the API works while one service is down.
 */
export function servicePresence(
  rpc: RpcClient,
): Record<'accounts' | 'scheduling' | 'crm' | 'messaging' | 'events' | 'assistant', () => Promise<void>> {
  const ask = async (
    service: string,
    call: (context: CallContext & { storeId: string }) => Promise<unknown>,
  ): Promise<void> => {
    try {
      await call({ requestId: `readyz-${randomUUID()}`, deadline: Date.now() + 900, storeId: noStore });
    } catch (error) {
      // A 4xx error proves that the service answers.
      if (error instanceof AppError && error.status < 500) return;
      const detail = `No process of ${service} answers: start one, or read its log and its /readyz. What it serves gets 503.`;
      throw new NoAnswer(detail, { cause: error });
    }
  };
  return {
    accounts: () => ask('accounts', (context) => rpc.call(recordKeyUses, { body: { uses: [] } }, context)),
    scheduling: () => ask('scheduling', (context) => rpc.call(getCalendarConnection, {}, context)),
    crm: () => ask('crm', (context) => rpc.call(checkLead, { body: { lead_id: noStore } }, context)),
    messaging: () => ask('messaging', (context) => rpc.call(getChannelConnection, {}, context)),
    events: () => ask('events', (context) => rpc.call(getEvent, { params: { eventId: noStore } }, context)),
    assistant: () => ask('assistant', (context) => rpc.call(getAiUsage, { query: {} }, context)),
  };
}
