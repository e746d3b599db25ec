import type { updateAssistantSettings as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { saveSettings } from './settings.repository.ts';

export const updateSettings =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) =>
    await database.write(context, (sql) => saveSettings(sql, context.storeId, body));
