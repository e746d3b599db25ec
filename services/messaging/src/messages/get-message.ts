import type { getMessage as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { toMessage } from './message.ts';
import { requireMessage } from './require-message.ts';

export const getMessage =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params }) =>
    toMessage(await requireMessage(dependencies, context, params));
