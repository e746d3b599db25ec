import { getStoreSettings, type SendingWindows } from '@mostrador/contracts';
import type { CallContext, RpcClient } from '@mostrador/kit/rpc/client';

/** The store's time zone from accounts. Without windows it is not needed, so no request is made. */
export async function zoneFor(windows: SendingWindows, rpc: RpcClient, context: CallContext): Promise<string> {
  if (windows.length === 0) return 'UTC';
  const { timezone } = await rpc.call(getStoreSettings, {}, context);
  return timezone;
}
