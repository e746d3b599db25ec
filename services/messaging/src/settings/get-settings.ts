import type { getMessagingSettings as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findSettings } from './settings.repository.ts';

export const getSettings =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) =>
    await database.read(context, (sql) => findSettings(sql, context.storeId));
