import type { connectStoreModel as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { connect } from './connect-model.ts';
import { readStoreAi } from './read-store-ai.ts';

export const connectStoreModel =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    await connect(dependencies, context, body);
    return await readStoreAi(dependencies, context);
  };
