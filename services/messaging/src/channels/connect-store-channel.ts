import type { connectStoreChannel as operation } from '@mostrador/contracts';
import { requireRole } from '@mostrador/kit/rpc/person';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { connect } from './connect-channel.ts';
import { readStoreChannel } from './read-channel.ts';

export const connectStoreChannel =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    requireRole(context, 'owner');
    await connect(dependencies, context, body, { keepsRates: true });
    return await readStoreChannel(dependencies, context);
  };
