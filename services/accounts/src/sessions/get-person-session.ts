import type { getPersonSession as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { requireSession, toPersonSession } from './session.ts';

export const getPersonSession =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context) =>
    toPersonSession(await requireSession(systemDatabase, context));
