import { randomUUID } from 'node:crypto';
import { checkLead, getCalendarConnection, getChannelConnection, getEvent, recordKeyUses } from '@mostrador/contracts';
import type { CallContext, RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';

/** An id that no store has. */
export const noStore = '00000000-0000-0000-0000-000000000000';

/**
 * Checks for `/readyz` whether the other services answer. Each gets a request that costs one read. The result is only
 * informative: the gateway is ready without them, because most of the API works while one service is down.
 */
export function servicePresence(
  rpc: RpcClient,
): Record<'accounts' | 'scheduling' | 'crm' | 'messaging' | 'events', () => Promise<void>> {
  const ask = async (call: (context: CallContext & { storeId: string }) => Promise<unknown>): Promise<void> => {
    try {
      await call({ requestId: `readyz-${randomUUID()}`, deadline: Date.now() + 1000, storeId: noStore });
    } catch (error) {
      // A 4xx error proves that the service answers.
      if (!(error instanceof AppError) || error.status >= 500) throw error;
    }
  };
  return {
    accounts: () => ask((context) => rpc.call(recordKeyUses, { body: { uses: [] } }, context)),
    scheduling: () => ask((context) => rpc.call(getCalendarConnection, {}, context)),
    crm: () => ask((context) => rpc.call(checkLead, { body: { lead_id: noStore } }, context)),
    messaging: () => ask((context) => rpc.call(getChannelConnection, {}, context)),
    events: () => ask((context) => rpc.call(getEvent, { params: { eventId: noStore } }, context)),
  };
}
