import type { startPasskeySession as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { askForPasskey } from './ask-for-passkey.ts';

export const startPasskeySession =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context) =>
    await askForPasskey(dependencies, context, null);
