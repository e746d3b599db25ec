import type { getStoreChannel as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { readStoreChannel } from './read-channel.ts';

export const getStoreChannel =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context) =>
    readStoreChannel(dependencies, context);
