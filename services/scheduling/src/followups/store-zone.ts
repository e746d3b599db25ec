import { getStoreSettings, type SendingWindows } from '@mostrador/contracts';
import type { CallContext, RpcClient } from '@mostrador/kit/rpc/client';

/** The store's time zone, which the gateway knows. Without windows nobody needs it, and it is not asked. */
export async function zoneFor(windows: SendingWindows, rpc: RpcClient, context: CallContext): Promise<string> {
  if (windows.length === 0) return 'UTC';
  const { timezone } = await rpc.call(getStoreSettings, {}, context);
  return timezone;
}
