import type { switchStoreAi as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { saveSettings } from '../settings/settings.repository.ts';
import { readStoreAi } from './read-store-ai.ts';

export const switchStoreAi =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    await dependencies.database.write(context, (sql) => saveSettings(sql, context.storeId, body));
    return await readStoreAi(dependencies, context);
  };
