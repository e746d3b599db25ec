import type { connectStoreChannel as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { connect } from './connect-channel.ts';
import { readStoreChannel } from './read-channel.ts';

export const connectStoreChannel =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    await connect(dependencies, context, body, { keepsRates: true });
    return await readStoreChannel(dependencies, context);
  };
