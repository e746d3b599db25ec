import type { getStoreAi as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { readStoreAi } from './read-store-ai.ts';

export const getStoreAi =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context) =>
    readStoreAi(dependencies, context);
