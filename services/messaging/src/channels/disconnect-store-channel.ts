import type { disconnectStoreChannel as operation } from '@mostrador/contracts';
import { requireRole } from '@mostrador/kit/rpc/person';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { disconnect } from './disconnect-channel.ts';

export const disconnectStoreChannel =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context) => {
    requireRole(context, 'owner');
    await disconnect(dependencies, context);
    return { done: true as const };
  };
