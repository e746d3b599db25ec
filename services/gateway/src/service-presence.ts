import { randomUUID } from 'node:crypto';
import { checkLead, getCalendarConnection, getChannelConnection } from '@mostrador/contracts';
import type { CallContext, RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';

/** A store that nobody has. */
const noStore = '00000000-0000-0000-0000-000000000000';

/**
 * Whether the other services answer, for `/readyz`: each is asked something that costs one read. It informs; the gateway
 * is ready without them, since most of the API may work while one of them is away.
 */
export function servicePresence(rpc: RpcClient): Record<'scheduling' | 'crm' | 'messaging', () => Promise<void>> {
  const ask = async (call: (context: CallContext & { storeId: string }) => Promise<unknown>): Promise<void> => {
    try {
      await call({ requestId: `readyz-${randomUUID()}`, deadline: Date.now() + 1000, storeId: noStore });
    } catch (error) {
      // A refusal is an answer.
      if (!(error instanceof AppError) || error.status >= 500) throw error;
    }
  };
  return {
    scheduling: () => ask((context) => rpc.call(getCalendarConnection, {}, context)),
    crm: () => ask((context) => rpc.call(checkLead, { body: { lead_id: noStore } }, context)),
    messaging: () => ask((context) => rpc.call(getChannelConnection, {}, context)),
  };
}
