import type { showModels as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { readStoreAi } from './read-store-ai.ts';

export const showModels =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { connections, budget } = await readStoreAi(dependencies, context);
    return { data: connections, budget };
  };
