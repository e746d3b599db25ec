import type { listEndpointsOfPerson as operation, WebhookCreator } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { listEndpointsBy } from './endpoint.repository.ts';
import { creatorOf } from './endpoint.ts';

export const listEndpointsOfPerson =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { user_id: userId, key_ids: keyIds } }) => {
    const rows = await database.read(context, (sql) =>
      listEndpointsBy(sql, context.storeId, { userId, keyIds, lock: false }),
    );
    const endpoints = rows.map((row) => {
      const { id, url, status } = row;
      return { id, url, status, created_by: creatorOf(row) as WebhookCreator };
    });
    return { endpoints };
  };
